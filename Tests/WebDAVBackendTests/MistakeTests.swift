import Foundation
import ProcessTesting
import TemporaryFolders
import Testing

/// What people get wrong when they first name a server, and what the tools then say: what happened, at which address, and what to do.
@Suite struct MistakeTests {
  enum Mistake: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case noCredentials, wrongPassword, unknownAuthority, noAuthoritiesFile, otherAuthoritiesFile,
      passwordInTheClear
    case encryptedToPlainPort, plainToEncryptedPort, wrongPort, unknownHost, proxyIsGone, noSuchPath,
      noWebDAV,
      notAllowed, readOnly, otherProtocol
    var testDescription: String { rawValue }
  }

  /// A mistake as the tools meet it.
  private struct Scene {
    var remote: String
    var options: [String] = []
    var environment: [String: String] = [:]
    /// What must be said beside the address.
    var words: [String]
    var code: Int32
    /// Whether nothing shows it but writing.
    var isAboutWriting = false
    /// Whether the address is named; it is not where a file on this device is wrong.
    var namesRemote = true
    /// What must not end before the tools do.
    var servers: [any Sendable] = []
  }

  @Test(arguments: Mistake.allCases)
  func `a mistake is told with what happened, at which address, and what to do`(_ mistake: Mistake)
    async throws
  {
    let folder = try TemporaryFolder()
    let good = try await FaultyServer()
    let store = folder.file("store")
    let remote = good.address.replacing("http://", with: "webdav://")
    try await run("notebook", ["init", "--store", store, "--remote", remote, "--no-encryption"], [:], 0)
    try await run("notebook", ["add", "--store", store, "--title", "a note"], [:], 0)

    let scene = try await scene(mistake, good, folder)
    let new = folder.file("new")
    let initialise = ["init", "--store", new, "--remote", scene.remote, "--no-encryption"] + scene.options
    try check(try await run("notebook", initialise, scene.environment, scene.code), scene)
    try rewrite(store, scene)
    try check(try await run("notebook", ["sync", "--store", store], scene.environment, scene.code), scene)
    guard !scene.isAboutWriting else { return }
    for verb in ["tree", "verify", "probe"] {
      let words = [verb, scene.remote] + scene.options
      let said = try await run("ticds-inspect", words, scene.environment, scene.code)
      try check(said, scene)
      #expect(!said.contains("ticds-inspect verify"))
    }
  }

  private func check(_ said: String, _ scene: Scene) throws {
    for word in scene.words + (scene.namesRemote ? [scene.remote] : []) {
      #expect(said.contains(word), "“\(word)” is missing in: \(said)")
    }
    #expect(said.split(separator: "\n").count == 1, "\(said)")
  }

  @discardableResult
  private func run(
    _ tool: String, _ words: [String], _ environment: [String: String], _ code: Int32
  ) async throws -> String {
    let usual = ["HOME": "/nonexistent", "NETRC": "/nonexistent", "no_proxy": "*"]
    let result = try await Subprocess.run(
      [Checkout.program(tool).path] + words, environment: usual.merging(environment) { $1 })
    #expect(result.ending == .exited(code), "\(words): \(result.errors)")
    return result.errors
  }

  /// Has a notebook meet the mistake that worked before.
  private func rewrite(_ store: String, _ scene: Scene) throws {
    let file = URL(filePath: store + "/remote.json")
    var content = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    content["remote"] = scene.remote
    for (option, key) in [("--credentials-file", "credentialsFile"), ("--ca-file", "authoritiesFile")] {
      if let place = scene.options.firstIndex(of: option) { content[key] = scene.options[place + 1] }
    }
    content["allowsPlainHTTP"] = scene.options.contains("--allow-plain-http")
    try JSONSerialization.data(withJSONObject: content).write(to: file)
  }

  private func scene(
    _ mistake: Mistake, _ good: FaultyServer, _ folder: TemporaryFolder
  ) async throws -> Scene {
    func write(_ text: String, _ name: String) throws -> String {
      try Data(text.utf8).write(to: URL(filePath: folder.file(name)))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name))
      return folder.file(name)
    }
    let right = try write("ticds:secret\n", "right")
    let remote = good.address.replacing("http://", with: "webdav://")
    switch mistake {
    case .noCredentials, .wrongPassword, .passwordInTheClear, .noSuchPath:
      let server = try await LocalServers.shared.server(.apache, "--auth", "basic")
      let place = "webdav://\(server.place)"
      switch mistake {
      case .noCredentials:
        return Scene(remote: place, words: ["asks for a user name", "--credentials-file"], code: 6)
      case .wrongPassword:
        let wrong = try write("ticds:wrong\n", "wrong")
        return Scene(
          remote: place, options: ["--credentials-file", wrong, "--allow-plain-http"],
          words: ["refuses the user name", "--credentials-file"], code: 6)
      case .passwordInTheClear:
        return Scene(
          remote: place, options: ["--credentials-file", right],
          words: ["not encrypted", "password", "webdavs://", "--allow-plain-http"], code: 6)
      default:
        return Scene(
          remote: place + "nowhere/", options: ["--credentials-file", right, "--allow-plain-http"],
          words: ["does not exist", "path"], code: 3)
      }
    case .unknownAuthority, .noAuthoritiesFile, .otherAuthoritiesFile, .plainToEncryptedPort:
      let server = try await LocalServers.shared.server(.apache, "--tls")
      let place = "webdavs://\(server.place)"
      switch mistake {
      case .unknownAuthority:
        return Scene(remote: place, words: ["not trusted", "--ca-file", "--pin"], code: 6)
      case .noAuthoritiesFile:
        let file = folder.file("absent")
        return Scene(
          remote: place, options: ["--ca-file", file], words: ["there is no file", file, "--ca-file"],
          code: 5,
          namesRemote: false)
      case .otherAuthoritiesFile:
        return Scene(
          remote: place, options: ["--ca-file", right], words: ["no certificate", right, "--ca-file"],
          code: 9,
          namesRemote: false)
      default:
        return Scene(
          remote: "webdav://\(server.place)", words: ["does not answer", "webdavs://", "port"], code: 3)
      }
    case .encryptedToPlainPort:
      return Scene(
        remote: remote.replacing("webdav://", with: "webdavs://"), words: ["no TLS", "webdav://", "port"],
        code: 3)
    case .wrongPort:
      return Scene(remote: "webdav://127.0.0.1:1/", words: ["cannot be reached", "port 1", "runs"], code: 3)
    case .unknownHost:
      return Scene(
        remote: "webdav://nosuchhost.invalid/", words: ["cannot be reached", "nosuchhost", "host's name"],
        code: 3)
    case .proxyIsGone:
      return Scene(
        remote: remote, environment: ["http_proxy": "http://127.0.0.1:9", "no_proxy": ""],
        words: ["proxy", "port 9", "http_proxy"], code: 3)
    case .noWebDAV, .notAllowed:
      try await good.plan("PROPFIND \(mistake == .noWebDAV ? 501 : 405) 999")
      return Scene(remote: remote, words: ["no WebDAV server", "check the address"], code: 3)
    case .readOnly:
      try await good.plan("MKCOL 405 999\nPUT 405 999")
      return Scene(
        remote: remote, words: ["does not let this be written", "reading only"], code: 6, isAboutWriting: true
      )
    case .otherProtocol:
      let script = """
        from socket import create_server
        listener = create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            connection = listener.accept()[0]
            connection.sendall(b"SSH-2.0-OpenSSH_9.2\\r\\n")
            connection.recv(4096)
            connection.close()
        """
      let server = try Subprocess(["python3", "-c", script], isAnnouncing: true)
      server.reapOnceEnded()
      let port = try #require(await server.announcement())
      return Scene(
        remote: "webdav://127.0.0.1:\(port)/", words: ["no web server", "port"], code: 3,
        servers: [Ending(server)])
    }
  }

  /// Ends a program with the scene.
  private final class Ending: Sendable {
    private let program: Subprocess
    init(_ program: Subprocess) { self.program = program }
    deinit { program.send(SIGTERM) }
  }
}
