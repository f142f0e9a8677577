import Foundation
import TICDSHTTP
import ProcessTesting
import Testing

@testable import WebDAVBackend
import XMLReading

/// Apache behind `faults.py`.
final class FaultyServer: Sendable {
  let address: String
  /// Where its files lie on this device.
  let folder: String
  private let proxy: Subprocess
  private let base: String
  private let client: HTTPClient

  /// - Parameter credentials: a file of credentials of which each request must bring one.
  init(credentials: String? = nil) async throws {
    let server = try await LocalServers.shared.server(.apache)
    let name = try await server.makeFolder()
    let port = server.place.split(separator: ":")[1].dropLast()
    let script = Checkout.root.appending(path: "Tests/WebDAVBackendTests/faults.py").path
    let words = ["python3", script, String(port)] + (credentials.map { [$0] } ?? [])
    proxy = try Subprocess(words, isAnnouncing: true)
    proxy.reapOnceEnded()
    base = "http://127.0.0.1:" + (try #require(await proxy.announcement()))
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    client = HTTPClient(configuration, home: try HTTPAddress(base))
    address = "\(base)/\(name)/"
    folder = "\(server.root)/\(name)"
  }

  deinit { proxy.send(SIGTERM) }

  /// - Parameters:
  ///   - stallLimit: how long nothing may arrive. By default so short that tests of it end soon; what must succeed has more.
  ///   - idleLimit: for how long a connection may have been idle for what must not arrive twice. By default for ever: the proxy closes none.
  func backend(
    _ traits: ServerTraits = .unknown, stallLimit: Duration = .seconds(3),
    idleLimit: Duration = .seconds(1 << 30)
  ) throws -> WebDAVBackend {
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    configuration.stallLimit = stallLimit
    configuration.idleLimit = idleLimit
    // So little of a hostile listing is read that it takes no minutes.
    var limits = XMLLimits()
    limits.document = 4 << 20
    let home = try HTTPAddress(address)
    let session = WebDAVSession(HTTPClient(configuration, home: home), home, limits: limits)
    return WebDAVBackend(session, traits: traits)
  }

  /// Sets what is to happen next.
  func plan(_ lines: String) async throws {
    let request = HTTPRequest("POST", try HTTPAddress(base + "/faults"), body: .bytes(Array(lines.utf8)))
    _ = try await client.send(request, receiver: NothingReceiver())
  }

  /// Whether all that was planned has happened.
  func isPlanUsed() async throws -> Bool { try await left() == 0 }

  /// How much of what was planned has not happened yet.
  func left() async throws -> Int? { try await number("faults") }

  /// How often somebody connected to where hostile answers point.
  func strangerCount() async throws -> Int? { try await number("strangers") }

  /// How often credentials came elsewhere than where they belong.
  func leakCount() async throws -> Int? { try await number("leaks") }

  /// Waits until a request is held.
  func waitUntilHeld() async throws { _ = try await number("held") }

  private func number(_ question: String) async throws -> Int? {
    let receiver = MemoryReceiver(limit: 100)
    _ = try await client.send(
      HTTPRequest("GET", HTTPAddress("\(base)/\(question)")), receiver: receiver)
    return Int(String(decoding: receiver.bytes, as: UTF8.self))
  }
}
