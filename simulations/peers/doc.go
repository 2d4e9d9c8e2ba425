// Package peers judges other Go libraries for locks on Redis in the same races.
package peers
