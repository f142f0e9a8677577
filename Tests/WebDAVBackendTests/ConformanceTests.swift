import BackendConformance
import Foundation
import TICDSHTTP
import SyncProtocol
import Testing
import Turns
import WebDAVBackend

@Suite struct ConformanceTests {
  /// What `Tools/test --long` asks for.
  private static let isLong = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] != nil
  /// As many laws at once over one server as it keeps without letting anybody wait for longer than a client waits. With ten thousand files in
  /// each of many folders, a server that does one thing at a time needs minutes for each.
  private static let turns = Dictionary(
    uniqueKeysWithValues: LocalServer.Kind.allCases.map { ($0, Turns(isLong ? 1 : 24)) })

  @Test(arguments: LocalServer.Kind.allCases, BackendConformance.laws.filter { !$0.measuresMemory })
  func `a server that is known keeps the laws of storage`(
    _ kind: LocalServer.Kind, _ law: BackendConformance.Law
  ) async throws {
    let server = try await LocalServers.shared.server(kind)
    let traits = try await KnownTraits.shared.traits(of: kind, server)
    try await verify(law, server, traits, isKnown: true, Self.isLong ? .long : .short)
  }

  @Test(arguments: LocalServer.Kind.allCases, BackendConformance.laws.filter { !$0.measuresMemory })
  func `a server of which nothing is known keeps the laws of storage`(
    _ kind: LocalServer.Kind, _ law: BackendConformance.Law
  ) async throws {
    try await verify(law, try await LocalServers.shared.server(kind), .unknown, isKnown: false)
  }

  @Test func `the laws that do not hold over some servers, as the documentation has them, are laws`() throws {
    let laws = try DeclaredLimits().laws
    #expect(laws.subtracting(BackendConformance.laws.map(\.description)).sorted() == [])
    #expect(!laws.isEmpty)
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/clear_refs")),
    arguments: isLong ? LocalServer.Kind.allCases : [.apache],
    BackendConformance.laws.indices.filter { BackendConformance.laws[$0].measuresMemory })
  func `large files take little memory`(_ kind: LocalServer.Kind, _ number: Int) async throws {
    guard try await LocalServers.shared.isInstalled(kind) else { try Test.cancel("\(kind) is not installed") }
    // In a process of its own, where no other test takes memory.
    await #expect(processExitsWith: .success) { [name = kind.rawValue as String, number] in
      let server = try await LocalServer(#require(LocalServer.Kind(rawValue: name)))
      let law = BackendConformance.laws[number]
      let outcome = try await law.verify(sizes: Self.isLong ? .long : .short, patience: .seconds(600)) {
        try await storage(on: server, .unknown)
      }
      #expect(outcome == .kept)
    }
  }

  private func verify(
    _ law: BackendConformance.Law, _ server: LocalServer, _ traits: ServerTraits, isKnown: Bool,
    _ sizes: ConformanceSizes = .short
  ) async throws {
    let limit = try DeclaredLimits().limit(law.description, server.kind, isKnown: isKnown)
    var outcome = BackendConformance.Outcome.kept
    do {
      outcome = try await Self.turns[server.kind, default: Turns(1)].run {
        try await law.verify(sizes: sizes, patience: .seconds(600)) { try await storage(on: server, traits) }
      }
    } catch {
      guard limit != .none else { throw error }
      outcome = .skipped("the server breaks it: \(error)")
    }
    #expect(
      limit == .atTimes || (outcome != .kept) == (limit == .always),
      "Docs/WebDAV.md is wrong about \(server.kind), \(isKnown ? "known" : "unknown"): \(law): \(outcome)")
    if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
  }
}

func storage(on server: LocalServer, _ traits: ServerTraits) async throws -> ConformanceStorage {
  let folder = try await server.makeFolder()
  let addForeign: @Sendable (String, RemotePath) async throws -> Void = { name, place in
    try await server.put(name, in: place == .root ? folder : "\(folder)/\(place)")
  }
  return ConformanceStorage(
    connect: { try webDAV(server, folder, traits) },
    absentRoot: { try webDAV(server, folder + "/absent", traits) },
    takeRootAway: { try await server.moveFolder(folder, to: "\(folder)-away") },
    bringRootBack: { try await server.moveFolder("\(folder)-away", to: folder) },
    // nginx does not list what begins with a dot, so nobody can report it.
    addForeign: server.kind == .nginx ? nil : addForeign)
}

func webDAV(_ server: LocalServer, _ folder: String, _ traits: ServerTraits) throws -> WebDAVBackend {
  var configuration = HTTPConfiguration()
  configuration.proxy = .none
  return WebDAVBackend(
    try HTTPAddress("http://" + server.place + folder), configuration: configuration, traits: traits)
}

/// What the servers' own tests have found.
actor KnownTraits {
  static let shared = KnownTraits()
  private var tasks: [LocalServer.Kind: Task<ServerTraits, any Error>] = [:]

  func traits(of kind: LocalServer.Kind, _ server: LocalServer) async throws -> ServerTraits {
    let task =
      tasks[kind]
      ?? Task { try await webDAV(server, await server.makeFolder(), .unknown).probe().traits }
    tasks[kind] = task
    return try await task.value
  }
}
