/// A part of what lies directly in one folder.
public struct ListingPage: Hashable, Sendable {
  /// Where the next page begins, in the back end's own words.
  public struct Token: Hashable, Sendable, CustomStringConvertible {
    /// The words.
    public let description: String

    /// Wraps words: a name, a mark that the service has given.
    public init(_ description: String) { self.description = description }
  }

  /// What is on this page.
  public var listing: RemoteListing
  /// What to ask for next; `nil` on the last page.
  public var next: Token?

  /// Combines what was found.
  public init(_ listing: RemoteListing, next: Token? = nil) {
    self.listing = listing
    self.next = next
  }
}
