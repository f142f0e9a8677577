import CCurl

extension HTTPError {
  /// What a code of libcurl means.
  ///
  /// - Parameter mayUseProxy: whether a proxy may stand between.
  init(_ code: CURLcode, _ message: String, _ address: HTTPAddress, mayUseProxy: Bool) {
    let meaning: Code =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
      case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .noProxy
      case CURLE_COULDNT_CONNECT:
        mayUseProxy && Self.isAboutProxy(message, address) ? .noProxy : .noConnection
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CIPHER,
        CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
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
    let words = code == CURLE_OUT_OF_MEMORY ? "a line of its head is too long" : reason
    self.init(meaning, words)
  }

  /// libcurl says with which host it could not connect, and that is the proxy where there is one.
  private static func isAboutProxy(_ message: String, _ address: HTTPAddress) -> Bool {
    guard message.hasPrefix("Failed to connect to ") else { return false }
    let host = address.host.trimmingPrefix("[").prefix { $0 != "]" }
    return !message.hasPrefix("Failed to connect to \(host) port \(address.port) ")
  }
}
