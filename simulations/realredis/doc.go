// Package realredis starts throwaway redis-server processes for tests: a single node, a
// primary with its replica, a Cluster, Sentinel. They listen on free loopback ports, live
// in fresh folders, and end with the process that started them, whatever happens to it. It
// needs a Unix, and the program redis-server.
package realredis
