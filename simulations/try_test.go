package simulations
import ("testing";"fmt")
func TestTry(t *testing.T) {
	for _, s := range Scenarios() { for _, sub := range Stages() { t.Run(s.Name+"/"+sub.Name, func(t *testing.T){
		r := Play(t, s, sub)
		fmt.Println("=====", s.Name, sub.Name, r.Verdict, r.Violation.Invariant, r.Violation.Text)
		fmt.Println(r.Trace)
	})}}
}
