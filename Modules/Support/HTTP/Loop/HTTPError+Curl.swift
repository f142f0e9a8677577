import CTICDSCurl

extension HTTPError {
  /// What a code of libcurl means.
  ///
  /// - Parameters:
  ///   - mayUseProxy: whether a proxy may stand between.
  ///   - proxyStatus: what the proxy has answered that was asked for a tunnel; 0 if none was.
  init(
    _ code: CURLcode, _ message: String, _ address: HTTPAddress, mayUseProxy: Bool, proxyStatus: Int = 0
  ) {
    let meaning: Code =
      switch code {
      // Whatever libcurl calls it, in several versions: no tunnel, so nothing has come of the server.
      case CURLE_RECV_ERROR where proxyStatus == 407, CURLE_PROXY where proxyStatus == 407: .proxyLogin
      case CURLE_RECV_ERROR where proxyStatus >= 300: .noProxy
      case _ where Self.alertsOfCertificates.contains { message.contains("alert \($0)") }: .noCertificate
      case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: .noCertificate
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .otherKey
      case CURLE_PEER_FAILED_VERIFICATION: Self.reason(message)
      case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
      case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .noProxy
      case _ where Self.isAboutProxyAddress(message): .noProxy
      case CURLE_COULDNT_CONNECT:
        mayUseProxy && Self.isAboutProxy(message, address) ? .noProxy : .noConnection
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS:
        .untrusted
      case CURLE_SSL_CONNECT_ERROR: .noTLS
      case CURLE_PARTIAL_FILE: .cutShort
      case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
        .connectionLost
      // What begins as no HTTP of a known version does is one of an old version to libcurl.
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .noHTTP
      // libcurl says so of a line in the head that is longer than 100 KiB.
      // And CURLE_BAD_FUNCTION_ARGUMENT of a trailer that is no field.
      case CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP_RETURNED_ERROR, CURLE_OUT_OF_MEMORY,
        CURLE_BAD_FUNCTION_ARGUMENT:
        .malformed
      case CURLE_ABORTED_BY_CALLBACK: .cancelled
      default: .other
      }
    let reason = message.isEmpty ? String(cString: curl_easy_strerror(code)) : message
    let words: String =
      switch code {
      case CURLE_OUT_OF_MEMORY: "a line of its head is too long"
      case _ where Self.isAboutProxyAddress(message):
        "the address of the proxy is none that can be used; in a user name or password signs such as / # ? @ stand as % and two digits"
      default: reason
      }
    self.init(meaning, words)
  }

  /// Whether libcurl does not understand the address of the proxy. It repeats that then, with the password in it.
  private static func isAboutProxyAddress(_ message: String) -> Bool {
    message.lowercased().contains("unsupported proxy")
  }

  /// What a server says (RFC 8446, section 6.2, in OpenSSL's words) that wants a certificate of this client, or does not take that which it got.
  private static let alertsOfCertificates = [
    "certificate required", "bad certificate", "unsupported certificate", "certificate revoked",
    "certificate expired", "certificate unknown", "unknown ca", "access denied",
  ]

  /// The same failure where the server may want a certificate, which it does not say.
  ///
  /// - Parameter hasBegunTLS: whether the connection was ready. With TLS 1.3, a server sees after that only that there is no certificate.
  func asOfMissingCertificate(hasBegunTLS: Bool) -> HTTPError {
    let isPlausible =
      switch code {
      case .connectionLost: hasBegunTLS
      // Before: what breaks off, and no more than that there is no TLS, of which OpenSSL says “wrong version number”, for one.
      case .noTLS:
        ["reset", "SSL_ERROR_SYSCALL", "unexpected eof", "alert handshake failure"].contains(
          where: detail.contains)
      default: false
      }
    return isPlausible ? HTTPError(.brokenTLS, detail) : self
  }

  /// Why a certificate is not taken, of which libcurl has words alone: those of OpenSSL for its time, its own for the name.
  private static func reason(_ message: String) -> Code {
    if message.contains("has expired") || message.contains("not yet valid") { return .expired }
    return message.contains("match target") || message.contains("matches target") ? .otherHost : .untrusted
  }

  /// libcurl says with which host it could not connect, and that is the proxy where there is one.
  private static func isAboutProxy(_ message: String, _ address: HTTPAddress) -> Bool {
    guard message.hasPrefix("Failed to connect to ") else { return false }
    let host = address.host.trimmingPrefix("[").prefix { $0 != "]" }
    return !message.hasPrefix("Failed to connect to \(host) port \(address.port) ")
  }
}
