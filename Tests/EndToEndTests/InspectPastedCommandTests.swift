import Foundation
import ProcessTesting
import Testing

/// Commands that `ticds-inspect` prints, pasted into a shell.
@Suite struct InspectPastedCommandTests {
  /// Runs a line as a shell does that stands in a folder and finds the program.
  private func shell(_ line: String, in folder: String) async throws -> Subprocess.Result {
    let programs = Checkout.program("ticds-inspect").deletingLastPathComponent().path
    return try await Subprocess.run(
      ["/bin/sh", "-c", "PATH='\(programs)':$PATH; cd \"$0\" && \(line)", folder])
  }

  @Test(arguments: ["-r", "Anna's $HOME `id` \\ \"x\"", "two\nlines\u{1b}[31m"])
  func `they name the remote, the password's file and the quarantine, whatever these are called`(
    _ name: String
  ) async throws {
    let sandbox = try await Sandbox.twoDevices()
    let files = FileManager.default
    let (remote, password) = (sandbox.path(name), sandbox.path("pass'word"))
    try files.moveItem(at: sandbox.remote, to: URL(filePath: remote))
    try files.moveItem(at: sandbox.passwordFile, to: URL(filePath: password))
    let sets = files.enumerator(atPath: remote)?.compactMap { $0 as? String }.filter { $0.hasSuffix(".set") }
    let set = try #require(sets?.first)
    let bytes = try #require(files.contents(atPath: "\(remote)/\(set)"))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: "\(remote)/\(set)"))

    let program = Checkout.program("ticds-inspect").path
    func run(_ words: String...) async throws -> Subprocess.Result {
      try await Subprocess.run(
        ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", sandbox.folder.path, program] + words)
    }
    let place = name.hasPrefix("-") ? "./\(name)" : name
    let applied = try await run(
      "repair", place, "--apply", "--quarantine", "kept '$x", "--password-file", "pass'word")
    let undo = try #require(
      applied.output.split(separator: "\n").first { $0.contains("--undo") }, "\(applied)")
    let advice = try #require(
      applied.output.split(separator: "\n").first { $0.contains("then run: ticds-inspect verify") },
      "\(applied)")
    let start = try #require(advice.range(of: "then run: ")).upperBound
    let end = try #require(advice.range(of: ". What stays missing")).lowerBound

    let verified = try await shell(String(advice[start..<end]), in: sandbox.folder.path)
    #expect(verified.ending == .exited(1), "\(verified)")
    let undone = try await shell(String(undo), in: sandbox.folder.path)
    #expect(undone.ending == .exited(0), "\(undone)")
    #expect(files.contents(atPath: "\(remote)/\(set)") == bytes.prefix(bytes.count / 2))
  }
}
