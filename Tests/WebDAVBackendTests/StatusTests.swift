import TICDSHTTP
import SyncProtocol
import Testing

@testable import WebDAVBackend

/// A status that passes is told as what it is, whichever request it answers.
@Suite struct StatusTests {
  enum Request: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case listing, examining, reading, makingFolder, removing
    var testDescription: String { rawValue }
    var method: String {
      switch self {
      case .listing, .examining: "PROPFIND"
      case .reading: "GET"
      case .makingFolder: "MKCOL"
      case .removing: "DELETE"
      }
    }
  }

  private func failure(_ request: Request, _ status: Int) async throws -> BackendError? {
    let server = try ScriptedServer { [method = request.method] asked in
      if asked.method == method { return .init(status) }
      guard asked.path != "/dav/" else { return .listing(asked.path) }
      return method == "MKCOL" ? .init(404) : .file(asked.path, length: 5)
    }
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    let backend = WebDAVBackend(try HTTPAddress(server.address + "/dav/"), configuration: configuration)
    let path = try #require(RemotePath("entry"))
    do throws(BackendError) {
      switch request {
      case .listing: _ = try await backend.list(path)
      case .examining: _ = try await backend.stat(path)
      case .reading: _ = try await backend.download(path, limit: 10)
      case .makingFolder: try await backend.makeDirectory(path)
      case .removing: try await backend.remove(path)
      }
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: Request.allCases)
  func `nothing is too large for a server that is asked, and it needs no room`(_ request: Request)
    async throws
  {
    let statuses = [.listing, .examining, .reading].contains(request) ? [413, 507] : [413]
    for status in statuses {
      let error = try #require(try await failure(request, status))
      #expect(
        error.code == .unreachable && error.recovery == Remedy.awaitServer.rawValue, "\(status): \(error)")
      #expect(error.detail.contains("\(status)"))
    }
  }

  @Test(arguments: Request.allCases)
  func `each status has a meaning, or says what to do`(_ request: Request) async throws {
    for status in [
      300, 302, 400, 402, 404, 405, 409, 410, 412, 415, 418, 422, 424, 428, 431, 500, 501, 505, 508, 599,
    ] {
      guard let error = try await failure(request, status) else { continue }
      switch error.code {
      case .failed, .damaged, .unsupported, .alreadyExists, .tooLarge, .localFile:
        #expect(Remedy(rawValue: error.recovery) != nil, "\(status): \(error)")
      default: continue
      }
    }
  }
}
