package peers

// Features says what each lock offers. The libraries have the settings that a careful user
// would choose. features_test.go asserts what a run can show.
const Features = `                                                 redis- red-   rueidis Redis-
               1   2   3   4   5   fenced quorum lock*  sync*  -lock   son**
try            yes yes yes yes yes yes    yes    yes    yes    yes     yes
wait           no  no  no  yes yes yes    no     yes    yes    yes     yes
wait budget    no  no  no  yes yes yes    no     no     no     no      no
wake-up        no  no  no  yes yes yes    no     no     no     yes     yes
renewal        no  no  no  no  yes yes    yes    no     no     yes     yes
loss told      no  no  no  no  yes yes    yes    no     yes    no      no
fencing token  no  no  no  no  no  yes    no     no     no     no      yes
quorum         no  no  no  no  no  no     yes    no     yes    no      no
Cluster        yes yes yes yes yes yes    no     yes    no     yes     yes
lost reply     no  no  no  yes yes yes    yes    yes    yes    yes     no
cancel         no  no  no  yes yes yes    yes    no     no     no      no
double release yes yes yes yes yes yes    yes    yes    yes    no      yes
`

// featureNotes explain the rows and some cells.
const featureNotes = `wait budget     a wait ends when its context does, on a slow network too.
wake-up         a release wakes a waiter; else it asks again and again.
loss told       before another can hold. rueidislock: too late (see partition).
                redsync*: by a context that its user makes to end at Until.
quorum          on servers that know nothing of each other.
Cluster         the lock is one key, and a Cluster client will do.
lost reply      the next try finds out that the lock is its own. redislock*:
                with a token of its user's.
cancel          a try that is cancelled comes back at once, and leaves no key.
double release  the second one is told that nothing is held. rueidislock: it
                returns nothing.
Redisson        fencing: RFencedLock, another class.
`
