import Foundation

/// How a client reaches servers.
public struct HTTPConfiguration: Sendable {
  /// Whom a client trusts.
  public struct Trust: Hashable, Sendable {
    enum Content: Hashable, Sendable {
      case system
      case authorities(file: String)
      case pinnedKey(String)
    }
    let content: Content

    /// The certificate authorities of the system.
    public static let system = Trust(content: .system)

    /// The certificate authorities in a file of PEM certificates, and no others.
    public static func authorities(inFile path: String) -> Trust { Trust(content: .authorities(file: path)) }

    /// The server with one public key and no other, whoever has signed its certificate and for whichever name.
    ///
    /// - Parameter digest: 32 bytes, the SHA-256 of the key's SubjectPublicKeyInfo (RFC 7469, section 2.4), in base64.
    /// - Returns: `nil` if it is no such digest.
    public static func pinnedKey(_ digest: String) -> Trust? {
      let digest = digest.hasPrefix("sha256//") ? String(digest.dropFirst(8)) : digest
      guard digest.wholeMatch(of: /[A-Za-z0-9+\/]{43}=/) != nil else { return nil }
      return Trust(content: .pinnedKey("sha256//" + digest))
    }
  }

  /// What proves to the server who we are while TLS begins.
  public struct ClientCertificate: Sendable {
    /// A PEM file with the certificate.
    public var certificateFile: String
    /// A PEM file with its key.
    public var keyFile: String
    let passphrase: String?

    /// Names the files, and the pass phrase of the key if it has one.
    public init(certificateFile: String, keyFile: String, passphrase: String? = nil) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
      self.passphrase = passphrase
    }
  }

  /// Who stands between.
  public enum Proxy: Hashable, Sendable {
    /// What `http_proxy`, `https_proxy` and `no_proxy` say.
    case environment
    /// Nobody.
    case none
    /// A proxy, as `http://host:port` or `socks5h://host:port`.
    case address(String)

    /// Whether there is one for addresses of a scheme, some hosts perhaps excepted. libcurl reads the same variables.
    func isGiven(
      for scheme: HTTPAddress.Scheme,
      environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Bool {
      switch self {
      case .none: return false
      case .address(let address): return !address.isEmpty
      case .environment:
        let names = scheme == .http ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
        return (names + ["all_proxy", "ALL_PROXY"]).contains { environment[$0]?.isEmpty == false }
      }
    }
  }

  /// Whom the client trusts.
  public var trust = Trust.system
  /// What proves to the server who we are, if it asks.
  public var clientCertificate: ClientCertificate?
  /// Who stands between.
  public var proxy = Proxy.environment
  /// Whether credentials may go through connections that anybody can read.
  public var allowsPlainCredentials = false
  /// How long a connection may take to come about.
  public var connectLimit = Duration.seconds(10)
  /// How long a request may go on with hardly a byte.
  public var stallLimit = Duration.seconds(60)
  /// The same before the server has answered at all, so that a person need not wait long to learn that it never does.
  public var firstAnswerLimit = Duration.seconds(30)
  /// How long an answer may take in all, from its first line to its last, beside the time that its body takes at the slowest speed which
  /// counts as progress: an answer without an end that drips at that speed would be read for ever. Only for requests that say how much is
  /// expected (``HTTPRequest/expectedLength``).
  public var answerLimit = Duration.seconds(45)
  /// How long a connection may have been idle for a request that must not arrive twice. Servers close idle connections, the hastiest after five
  /// seconds, and what is sent at that moment is lost without a word whether it was done.
  public var idleLimit = Duration.seconds(2)
  /// How many requests are under way at once; the others wait. 1 to 64.
  public var concurrency = 8
  /// Whether HTTP/2 is spoken where the server offers it.
  public var offersHTTP2 = true
  /// What the client calls itself.
  public var agent = "TICDS"

  /// The usual: the system's authorities, ten seconds to connect, a minute without progress, half of one for the first answer.
  public init() {}
}
