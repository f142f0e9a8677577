/// Turns a set's bytes into those of its file, sealing them if the document is encrypted.
public typealias SetSealing = (_ plain: [UInt8], _ author: AuthorID, _ sequence: UInt64) throws -> [UInt8]

/// How sets are made.
struct SetOptions {
  /// Identifier of the client.
  let client: String
  /// The wall clock, in milliseconds since 1970.
  let now: @Sendable () -> UInt64
  /// Changes in one set at most, about.
  let setLimit: Int
  let codec: any ChangeSetCodec.Type
  let sealing: SetSealing

  /// The identifier as far as a set holds it: it is for reports alone.
  var reportedClient: String {
    client.utf8.count <= SetLimits.identifierLength
      ? client : String(client.prefix(SetLimits.identifierLength / 64))
  }
}
