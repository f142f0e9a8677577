/// What a test of a server has found.
public struct ServerReport: Hashable, Sendable, Codable {
  /// Something that a server does or does not.
  public struct Law: Hashable, Sendable, Codable {
    /// A short name.
    public var name: String
    /// The law as a sentence.
    public var sentence: String
    /// Whether the server keeps it.
    public var isKept: Bool
    /// How long it took to find out, in milliseconds.
    public var milliseconds: Int
    /// What the back end does because of that.
    public var consequence: String
  }

  /// What the server calls itself; empty if it does not say.
  public var server: String
  /// When it was tested, in seconds since 1970-01-01 00:00 UTC.
  public var date: Int64
  /// All that was tried, in order.
  public var laws: [Law]
  /// What follows for the back end.
  public var traits: ServerTraits
}
