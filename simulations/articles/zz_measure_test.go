package articles
import ("testing";"fmt";"redislocklab/simulations")
func TestMeasure(t *testing.T){
 for _, s := range Subjects(){ for _, sc := range simulations.Scenarios(){ t.Run(s.Name+"/"+sc.Name, func(t *testing.T){
  r := simulations.Play(t, sc, s)
  fmt.Printf("%-24s %-20s %s %v\n%s\n", s.Name, sc.Name, r.Verdict, r.Violation, r.Trace)
 })}}
}
