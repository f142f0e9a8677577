/// Takes the body of an answer as it arrives.
///
/// Called on the client's thread, one call at a time. Only answers of success are received; the bodies of others are dropped.
/// After a request that is repeated, it begins anew.
public protocol BodyReceiver: Sendable {
  /// The head of an answer whose body follows. May refuse it.
  func begin(_ head: HTTPHead) throws(HTTPError)
  /// The next bytes.
  func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTPError)
}
