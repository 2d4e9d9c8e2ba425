package peers

// features says what each lock offers. The libraries have the settings that a careful user
// would choose. peers_test.go asserts what a run can show.
const features = `                                                 redis- red-   rueidis Redis-
               1   2   3   4   5   fenced quorum lock*  sync*  -lock   son**
try            yes yes yes yes yes yes    yes    yes    yes    yes     yes
wait           no  no  no  yes yes yes    no     yes    yes    yes     yes
wait budget    no  no  no  yes yes yes    no     no     no     no      no
wake-up        no  no  no  yes yes yes    no     no     no     yes     yes
renewal        no  no  no  no  yes yes    yes    no     no     yes     yes
loss told      no  no  no  no  yes yes    yes    no     yes    no      no
fencing token  no  no  no  no  no  yes    no     no     no     no      yes
quorum         no  no  no  no  no  no     yes    no     yes    no      no
Cluster        yes yes yes yes yes yes    no     yes    yes    yes     yes
lost reply     no  no  no  yes yes yes    yes    yes    yes    yes     no
cancel         no  no  no  yes yes yes    yes    no     no     yes     no
double release yes yes yes yes yes yes    yes    yes    yes    no      yes
`

// featureNotes explain the rows and some cells.
const featureNotes = `wait budget     a wait ends when its context does, on a slow network too.
                rueidislock: a deadline does that, but ends the lock as well.
renewal         by itself, without a call of its user's.
wake-up         a release wakes a waiter; else it asks again and again.
loss told       before another can hold. rueidislock: too late (see partition).
                redsync*: by a context that its user makes to end at Until.
quorum          on servers that know nothing of each other.
Cluster         the lock is one key, and a Cluster client will do.
lost reply      does not shut out who asked: the next try finds its own lock, or
                it was given back. redislock*: with a token of its user's.
cancel          a try that is cancelled comes back by then, and leaves no key.
double release  the second one is told that nothing is held. rueidislock: it
                returns nothing.
Redisson        with its other classes: RFencedLock for the fencing token.
`
