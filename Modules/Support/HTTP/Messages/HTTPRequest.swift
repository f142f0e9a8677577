/// One request.
public struct HTTPRequest: Sendable {
  /// What is sent along.
  public enum Body: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// A file of this device, read while it is sent.
    case file(String)
  }

  /// `GET`, `PUT`, `PROPFIND` ...
  public var method: String
  /// Where the resource lies.
  public var address: HTTPAddress
  /// Where something is to go (the field `Destination`); it moves along when the server redirects.
  public var destination: HTTPAddress?
  /// Further header fields.
  public var fields: [(name: String, value: String)]
  /// What is sent along.
  public var body: Body
  /// Whether the answer may come compressed.
  public var acceptsCompression = false
  /// About how many bytes the body of the answer has, where its head does not say it: the answer is given up
  /// (``HTTPError/Code/tooSlow``) when it takes ``HTTPConfiguration/answerLimit`` and the time that so many bytes take, the first 65,536
  /// at 256 in a second and the others at 1,024. `nil` if it may take any time.
  public var expectedLength: Int64?
  /// Whether the length that the answer announces is doubted: one of more than 65,536 bytes is given up (``HTTPError/Code/tooSlow``) as
  /// soon as it has come, beyond ``HTTPConfiguration/answerLimit``, at less than 4,096 bytes in a second. For whoever can ask elsewhere how
  /// long it is, and begins again without a doubt. Counts only with an ``expectedLength``.
  public var doubtsLength = false
  /// Called with the number of bytes of the body that have been sent.
  public var progress: (@Sendable (Int64) -> Void)?

  /// Describes a request.
  public init(
    _ method: String, _ address: HTTPAddress, fields: [(name: String, value: String)] = [], body: Body = .none
  ) {
    self.method = method
    self.address = address
    self.fields = fields
    self.body = body
  }
}

extension HTTPRequest {
  /// Whether it makes no difference to send it twice.
  var isRepeatable: Bool {
    switch method {
    case "GET", "HEAD", "OPTIONS", "PROPFIND": true
    case "PUT": !fields.contains { $0.name.lowercased() == "if-none-match" }
    default: false
    }
  }
}

/// What came back.
public struct HTTPResponse: Sendable {
  /// Status and header fields.
  public var head: HTTPHead
  /// Who answered in the end, after all redirections.
  public var address: HTTPAddress
  /// Whether a server said that the resource has moved for good.
  public var isMovedForGood: Bool
}
