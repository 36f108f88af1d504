/// A view model makes no snapshot of its own.
package struct NoSnapshot: Error {}
