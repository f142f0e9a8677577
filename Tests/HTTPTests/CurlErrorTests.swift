import CTICDSCurl
import Testing

@testable import TICDSHTTP

/// What libcurl's codes and words mean, those included that no server of the tests brings about.
@Suite struct CurlErrorTests {
  private func code(_ code: CURLcode, _ message: String, proxyStatus: Int = 0) throws -> HTTPError.Code {
    HTTPError(code, message, try HTTPAddress("https://h/"), mayUseProxy: true, proxyStatus: proxyStatus).code
  }

  @Test func `why a certificate is not taken is told apart`() throws {
    let cases: [(String, HTTPError.Code)] = [
      ("SSL certificate problem: certificate has expired", .expired),
      ("SSL certificate problem: certificate is not yet valid", .expired),
      ("SSL certificate problem: self-signed certificate", .untrusted),
      ("SSL certificate problem: unable to get local issuer certificate", .untrusted),
      ("SSL: no alternative certificate subject name matches target host name '127.0.0.1'", .otherHost),
      ("SSL: no alternative certificate subject name matches target ipv4 address '127.0.0.1'", .otherHost),
      ("SSL: certificate subject name 'a' does not match target host name 'b'", .otherHost),
    ]
    for (words, meaning) in cases { #expect(try code(CURLE_PEER_FAILED_VERIFICATION, words) == meaning) }
    #expect(try code(CURLE_SSL_PINNEDPUBKEYNOTMATCH, "SSL: public key does not match") == .otherKey)
    let alert = "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
    #expect(try code(CURLE_RECV_ERROR, alert) == .noCertificate)
    #expect(try code(CURLE_SSL_CERTPROBLEM, "could not load PEM client certificate") == .noCertificate)
  }

  @Test(arguments: [
    "Unsupported proxy syntax in 'http://me:s3cr/et@proxy:3128'",
    "unsupported proxy syntax in 'me:s3cret@proxy:x'",
    "Unsupported proxy scheme for 'ftp://me:s3cret@proxy'",
    "Unsupported proxy 'https://me:s3cret@proxy', libcurl is built without the HTTPS-proxy support.",
  ])
  func `an address of a proxy that cannot be used is not repeated`(_ message: String) throws {
    for curl in [CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_UNSUPPORTED_PROTOCOL] {
      let error = HTTPError(curl, message, try HTTPAddress("https://h/"), mayUseProxy: true)
      #expect(error.code == .noProxy)
      #expect(!"\(error)\(error.detail)".contains("s3cr"))
    }
  }

  @Test
  func `a connection that breaks where TLS has just begun may lack a certificate, and nothing else does`()
    throws
  {
    func code(_ code: CURLcode, _ message: String, hasBegunTLS: Bool) throws -> HTTPError.Code {
      let error = HTTPError(code, message, try HTTPAddress("https://h/"), mayUseProxy: false)
      return error.asOfMissingCertificate(hasBegunTLS: hasBegunTLS).code
    }
    for words in [
      "OpenSSL SSL_connect: Connection reset by peer in connection to h:443",
      "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443",
      "error:0A000410:SSL routines::sslv3 alert handshake failure",
    ] {
      #expect(try code(CURLE_SSL_CONNECT_ERROR, words, hasBegunTLS: false) == .brokenTLS)
    }
    #expect(
      try code(
        CURLE_SSL_CONNECT_ERROR, "error:0A00010B:SSL routines::wrong version number", hasBegunTLS: false)
        == .noTLS)
    for lost in [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING] {
      #expect(try code(lost, "broke", hasBegunTLS: true) == .brokenTLS)
      #expect(try code(lost, "broke", hasBegunTLS: false) == .connectionLost)
    }
    #expect(try code(CURLE_OPERATION_TIMEDOUT, "slow", hasBegunTLS: true) == .timedOut)
    let refusal = "OpenSSL SSL_read: error:0A000418:SSL routines::tlsv1 alert unknown ca, errno 0"
    #expect(try self.code(CURLE_RECV_ERROR, refusal) == .noCertificate)
  }

  @Test func `a server that was sent much may work on it for longer, but never without an end`() {
    let expected: [(size: Int64, seconds: Int)] = [
      (0, 0), (10_000, 0), (200_000, 12), (4 << 20, 256), (5 << 20, 260), (100 << 20, 640), (1 << 40, 900),
    ]
    for (size, seconds) in expected { #expect(AnswerPatience.seconds(after: size) == seconds) }
  }

  @Test func `what a proxy says that makes no tunnel is the proxy's`() throws {
    let words = "CONNECT tunnel failed, response 407"
    #expect(try code(CURLE_RECV_ERROR, words, proxyStatus: 407) == .proxyLogin)
    #expect(try code(CURLE_RECV_ERROR, words, proxyStatus: 403) == .noProxy)
    #expect(try code(CURLE_RECV_ERROR, "broke", proxyStatus: 200) == .connectionLost)
    #expect(try code(CURLE_RECV_ERROR, "broke") == .connectionLost)
  }
}
