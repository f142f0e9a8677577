import TICDSSQLite

/// What one slice of a merge has found out for the next, as long as nobody commits in between.
final class SliceCarryOver {
  private var listEnds = ListEnds()
  private var endingLinks = EndingLinks()
  /// The version of the database in which that is so.
  private var version: UInt32?

  /// Begins a slice.
  func begin(_ showing: Showing) {
    let isValid = showing.cells.connection.dataVersion == version
    showing.listEnds = isValid ? listEnds : ListEnds()
    if isValid { showing.endingLinks = endingLinks }
  }

  /// Ends a slice. What else happens in its transaction is not followed.
  func end(_ showing: Showing) {
    listEnds = showing.listEnds ?? ListEnds()
    showing.listEnds = nil
    endingLinks = showing.endingLinks.carriedOver(from: showing.cells.links)
    version = nil
  }

  /// Notes that the slice is durable, right after its commit. Without it, nothing is carried over.
  func confirm(on connection: Connection) { version = connection.dataVersion }
}
