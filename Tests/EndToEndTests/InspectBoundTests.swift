import Foundation
import ProcessTesting
import Testing

/// What a person is shown of very many findings, and of files that are rare.
@Suite struct InspectBoundTests {
  /// Heads whose names nobody has written.
  private func withForgedHeads(_ count: Int) async throws -> Sandbox {
    let sandbox = try await Sandbox.twoDevices()
    let head = try #require(
      Snapshot(sandbox.remote).entries.map(\.path).first { $0.hasSuffix(".head") })
    var parts = head.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for number in 0..<count {
      let digits = String(number)
      parts[parts.count - 2] = String(repeating: "0", count: 20 - digits.count) + digits
      try Data().write(to: URL(filePath: parts.joined(separator: ".")))
    }
    return sandbox
  }

  private func shown(_ output: String) -> Int {
    output.split(separator: "\n").count { $0.hasSuffix("(forgedName)") }
  }

  @Test(arguments: ["verify", "repair"])
  func `of many findings of one code a hundred are shown, the others are counted, and JSON has all`(
    verb: String
  ) async throws {
    let sandbox = try await withForgedHeads(150)
    let text = try await sandbox.inspect(verb)
    #expect(shown(text.output) == 100, "\(text)")
    #expect(text.output.contains("50 more findings of forgedName; --json lists all"))
    // None of another code is left out for them.
    try Data("else".utf8).write(to: sandbox.remote.appending(path: "ticds.notebook/Documents/notes/x y"))
    if verb == "verify" {
      #expect(try await sandbox.inspect("verify").output.contains("(foreignEntry)"))
    }
    let json = try ProgramJSON.object(try await sandbox.inspect(verb, "--json").output)
    let all = try #require(json[verb == "verify" ? "findings" : "left"] as? [[String: Any]])
    #expect(all.count { $0["code"] as? String == "forgedName" } == 150)
  }

  @Test func `exactly a hundred findings are shown without a word about others`() async throws {
    let sandbox = try await withForgedHeads(100)
    let text = try await sandbox.inspect("verify")
    #expect(shown(text.output) == 100)
    #expect(!text.output.contains("more finding"))
  }

  @Test func `a wrapped key is shown as what it is, with the keys that it names, and without a password`()
    async throws
  {
    let sandbox = try await Sandbox.twoDevices()
    let new = sandbox.path("new password")
    try Data("another password\n".utf8).write(to: URL(filePath: new))
    let rotated = try await sandbox.inspect("password", "rotate", "--new-password-file", new)
    #expect(rotated.ending == .exited(0), "\(rotated)")
    let path = try #require(
      Snapshot(sandbox.remote).entries.map(\.path).first { $0.hasSuffix(".wrapped") })
    let program = Checkout.program("ticds-inspect").path

    let opened = try await Subprocess.run([program, "show", path, "--json", "--password-file", new])
    let locked = try await Subprocess.run([program, "show", path])

    let json = try ProgramJSON.object(opened.output)
    #expect(opened.ending == .exited(0), "\(opened)")
    #expect(json["kind"] as? String == "sealed")
    #expect(json["encrypted"] as? Bool == true && json["locked"] as? Bool == false)
    // The name says which key lies in it, and under which.
    let wrapping = try #require(URL(filePath: path).lastPathComponent.split(separator: ".").dropFirst().first)
    #expect((json["facts"] as? [String: Any])?["key"] as? String == String(wrapping))
    #expect(locked.ending == .exited(4), "\(locked)")
    #expect(locked.output.contains("key: \(wrapping)"))
    #expect(locked.output.contains("it is encrypted"))
  }
}
