import CCurl

extension HTTPError {
  /// What a code of libcurl means.
  init(_ code: CURLcode, _ message: String, _ configuration: HTTPConfiguration) {
    let meaning: Code =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unknownHost
      case CURLE_COULDNT_CONNECT, CURLE_PROXY: .noConnection
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CIPHER,
        CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
        .untrusted
      case CURLE_PARTIAL_FILE: .cutShort
      case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
        .connectionLost
      case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP_RETURNED_ERROR,
        CURLE_UNSUPPORTED_PROTOCOL:
        .malformed
      case CURLE_ABORTED_BY_CALLBACK: .cancelled
      default: .other
      }
    let words = message.isEmpty ? String(cString: curl_easy_strerror(code)) : message
    self.init(meaning, words)
  }
}
