import CTICDSCurl

/// The options of one request. All of them are set each time, because handles are used again.
struct EasyOptions {
  /// Less than this for as long as the client allows counts as no progress, in bytes a second.
  static let leastSpeed = 256
  private static let bufferSize = 256 << 10
  private static let questionLimit = 16 << 10
  private let transfer: Transfer
  private let bodySize: Int64?
  private var handle: UnsafeMutableRawPointer { transfer.handle }
  private var job: TransferJob { transfer.job }
  private var configuration: HTTPConfiguration { transfer.configuration }

  init(_ transfer: Transfer, bodySize: Int64?) {
    self.transfer = transfer
    self.bodySize = bodySize
  }

  /// Returns what libcurl does not take.
  func set() -> HTTPError? {
    setMethod()
    setLimits()
    setLogin()
    return setFields() ?? setTrust() ?? setProxy()
  }

  private func setMethod() {
    // `UPLOAD` sends a body from the read function, whatever the method is called.
    let question = question
    ticds_curl_set_long(handle, CURLOPT_NOBODY, 0)
    ticds_curl_set_long(handle, CURLOPT_HTTPGET, 1)
    ticds_curl_set_long(handle, CURLOPT_UPLOAD, bodySize == nil || question != nil ? 0 : 1)
    ticds_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(bodySize ?? -1))
    if let question {
      ticds_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(question.count))
      question.withUnsafeBytes { bytes in
        _ = ticds_curl_set_pointer(
          handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      }
    }
    ticds_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, job.method)
    if job.method == "HEAD" { ticds_curl_set_long(handle, CURLOPT_NOBODY, 1) }
  }

  /// A small body whose type is told, which libcurl sends together with the head: the server need not wait for it.
  private var question: [UInt8]? {
    guard case .bytes(let bytes) = job.body, !bytes.isEmpty, bytes.count <= Self.questionLimit,
      job.progress == nil, job.fields.contains(where: { $0.name.lowercased() == "content-type" })
    else { return nil }
    return bytes
  }

  private func setLimits() {
    ticds_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    // Redirections are followed above, where it is decided what may go along.
    ticds_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
    ticds_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
    ticds_curl_set_long(handle, CURLOPT_FRESH_CONNECT, 0)
    ticds_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, configuration.connectLimit.milliseconds)
    ticds_curl_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, Self.leastSpeed)
    ticds_curl_set_long(handle, CURLOPT_LOW_SPEED_TIME, Self.seconds(job.stallLimit))
    ticds_curl_set_long(handle, CURLOPT_BUFFERSIZE, Self.bufferSize)
    ticds_curl_set_long(handle, CURLOPT_UPLOAD_BUFFERSIZE, Self.bufferSize)
    ticds_curl_set_long(handle, CURLOPT_TCP_KEEPALIVE, 1)
  }

  /// A limit as libcurl takes it.
  static func seconds(_ limit: Duration) -> Int { max(1, limit.milliseconds / 1_000) }

  private func setLogin() {
    let (scheme, user, password): (UInt, String?, String?) =
      switch job.login {
      case .none: (1 << 0, nil, nil)
      // CURLAUTH_BASIC and CURLAUTH_DIGEST, whose macros Swift does not import.
      case .basic(let user, let password): (1 << 0, user, password)
      case .digest(let user, let password): (1 << 1, user, password)
      }
    ticds_curl_set_long(handle, CURLOPT_HTTPAUTH, Int(scheme))
    ticds_curl_set_text(handle, CURLOPT_USERNAME, user)
    ticds_curl_set_text(handle, CURLOPT_PASSWORD, password)
    // With Digest some servers answer nothing over HTTP/2.
    var version = configuration.offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
    if case .digest = job.login { version = CURL_HTTP_VERSION_1_1 }
    ticds_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(version))
    ticds_curl_set_long(
      handle, CURLOPT_PIPEWAIT, job.address.scheme == .https && configuration.offersHTTP2 ? 1 : 0)
  }

  private func setFields() -> HTTPError? {
    ticds_curl_set_text(handle, CURLOPT_USERAGENT, configuration.agent)
    ticds_curl_set_text(handle, CURLOPT_ACCEPT_ENCODING, job.acceptsCompression ? "gzip" : nil)
    for (name, value) in job.fields {
      // A line break would begin another field.
      guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        return HTTPError(.other, "the field \(name) holds a control character")
      }
      guard let list = curl_slist_append(transfer.fields, "\(name): \(value)") else {
        return HTTPError(.other, "libcurl has no memory for a request")
      }
      transfer.fields = list
    }
    ticds_curl_set_list(handle, CURLOPT_HTTPHEADER, transfer.fields)
    return nil
  }

  private func setTrust() -> HTTPError? {
    var isVerified = true
    var code = CURLE_OK
    switch configuration.trust.content {
    case .system: ticds_curl_set_text(handle, CURLOPT_PINNEDPUBLICKEY, nil)
    case .authorities(let file):
      code = ticds_curl_set_text(handle, CURLOPT_CAINFO, file)
      ticds_curl_set_text(handle, CURLOPT_CAPATH, nil)
      ticds_curl_set_text(handle, CURLOPT_PINNEDPUBLICKEY, nil)
    case .pinnedKey(let key):
      // The key itself is verified, so who signed it and for which name adds nothing.
      isVerified = false
      code = ticds_curl_set_text(handle, CURLOPT_PINNEDPUBLICKEY, key)
    }
    ticds_curl_set_long(handle, CURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0)
    ticds_curl_set_long(handle, CURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0)
    // TLS 1.2 and later: CURL_SSLVERSION_TLSv1_2.
    ticds_curl_set_long(handle, CURLOPT_SSLVERSION, 6)
    guard code == CURLE_OK else {
      return HTTPError(.untrusted, "this libcurl cannot verify servers in the way that was asked for")
    }
    let certificate = job.showsCertificate ? configuration.clientCertificate : nil
    ticds_curl_set_text(handle, CURLOPT_SSLCERT, certificate?.certificateFile)
    ticds_curl_set_text(handle, CURLOPT_SSLKEY, certificate?.keyFile)
    ticds_curl_set_text(handle, CURLOPT_KEYPASSWD, certificate?.passphrase)
    return nil
  }

  private func setProxy() -> HTTPError? {
    switch configuration.proxy {
    case .environment: break
    case .none: ticds_curl_set_text(handle, CURLOPT_PROXY, "")
    case .address(let address): ticds_curl_set_text(handle, CURLOPT_PROXY, address)
    }
    return nil
  }
}

extension Duration {
  fileprivate var milliseconds: Int {
    let milliseconds = self / .milliseconds(1)
    return Int(min(max(milliseconds, 1), 1e9))
  }
}
