// Package headers follows the packets of one connection of this host by their
// headers: on Linux, in the build that is not for routers.
package headers
