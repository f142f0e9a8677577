import Foundation
import ProcessTesting
import Testing

/// The folder of the application itself: a link or something else in its place, or a name in another case.
@Suite struct InspectApplicationFolderTests {
  private struct Sample {
    let sandbox: Sandbox
    let devices: [Device]
    var application: String { sandbox.remote.path + "/ticds.notebook" }
    func contents() -> [String: Data?] {
      Dictionary(uniqueKeysWithValues: Snapshot(sandbox.remote).entries.map { ($0.path, $0.bytes) })
    }
  }

  /// Two devices that agree, and a copy of the remote beside it.
  private func sample(encrypted: Bool = true) async throws -> Sample {
    let sandbox = try Sandbox()
    let devices = [
      try await sandbox.device("alice", encrypted: encrypted),
      try await sandbox.device("bob", encrypted: encrypted),
    ]
    _ = try await devices[0].add("title")
    for device in devices { _ = try await device.sync() }
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: sandbox.path("copy"))
    return Sample(sandbox: sandbox, devices: devices)
  }

  private func target(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  @Test(arguments: ["../away", "ticds.notebook", "/nowhere"])
  func `a link in its place is named by whoever looks and whoever synchronises`(_ link: String) async throws {
    let sample = try await sample()
    try FileManager.default.moveItem(atPath: sample.application, toPath: sample.sandbox.path("away"))
    try FileManager.default.createSymbolicLink(atPath: sample.application, withDestinationPath: link)
    for verb in [["verify"], ["repair"], ["info"]] {
      let result = try await sample.sandbox.inspect(verb)
      #expect(result.ending == .exited(5), "\(result)")
      #expect(result.errors.contains("“ticds.notebook”") && result.errors.contains("link"), "\(result)")
    }
    let synced = try await sample.devices[0].run("sync")
    #expect(synced.ending == .exited(9) && synced.errors.contains("link"), "\(synced)")
  }

  @Test(arguments: ["link", "file"], [true, false])
  func `what lies in its place is put aside, all comes back from a copy, and undoing leaves all as it was`(
    _ kind: String, encrypted: Bool
  ) async throws {
    let sample = try await sample(encrypted: encrypted)
    let sandbox = sample.sandbox
    let away = sandbox.path("away")
    try FileManager.default.moveItem(atPath: sample.application, toPath: away)
    if kind == "link" {
      try FileManager.default.createSymbolicLink(atPath: sample.application, withDestinationPath: away)
    } else {
      try Data("text".utf8).write(to: URL(filePath: sample.application))
    }
    let before = sample.contents()
    let outside = Snapshot(URL(filePath: away)).contents

    let words = ["repair", "--from", sandbox.path("copy"), "--apply", "--quarantine", sandbox.path("kept")]
    let applied = try await sandbox.inspect(words, password: encrypted)

    #expect(applied.ending == .exited(0), "\(applied)")
    #expect(!applied.output.contains("not done"), "\(applied)")
    #expect(try await sandbox.inspect("verify", password: encrypted).ending == .exited(0))
    for device in sample.devices { _ = try await device.sync() }
    let undone = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"), password: encrypted)
    #expect([.exited(0), .exited(15)].contains(undone.ending), "\(undone)")
    #expect(Snapshot(URL(filePath: away)).contents == outside)

    // Without devices in between it is as it was.
    try FileManager.default.removeItem(atPath: sample.application)
    if kind == "link" {
      try FileManager.default.createSymbolicLink(atPath: sample.application, withDestinationPath: away)
    } else {
      try Data("text".utf8).write(to: URL(filePath: sample.application))
    }
    _ = try await sandbox.inspect(words.dropLast() + [sandbox.path("kept again")], password: encrypted)
    let again = try await sandbox.inspect("repair", "--undo", sandbox.path("kept again"), password: encrypted)
    #expect(again.ending == .exited(0), "\(again)")
    #expect(sample.contents() == before)
    #expect(target(sample.application) == (kind == "link" ? away : nil))
  }

  @Test(arguments: ["TICDS.NOTEBOOK", "Ticds.Notebook", "ticds.Notebook"], [true, false])
  func
    `a name in another case is said with both names, nothing is put aside for it, and no second folder is made`(
      _ name: String, encrypted: Bool
    ) async throws
  {
    let sample = try await sample(encrypted: encrypted)
    let sandbox = sample.sandbox
    let renamed = sandbox.remote.path + "/\(name)"
    try FileManager.default.moveItem(atPath: sample.application, toPath: renamed)
    let before = sample.contents()

    let verified = try await sandbox.inspect("verify", password: encrypted)
    #expect(verified.ending == .exited(1), "\(verified)")
    #expect(verified.output.contains("(nameInOtherCase)"), "\(verified)")
    #expect(verified.output.contains("“\(name)”") && verified.output.contains("“ticds.notebook”"))
    #expect(!verified.output.contains("notAuthentic"), "\(verified)")

    for words in [["repair"], ["repair", "--from", sandbox.path("copy")]] {
      let kept = ["--apply", "--quarantine", sandbox.path("kept \(words.count)")]
      let repaired = try await sandbox.inspect(words + kept, password: encrypted)
      #expect(repaired.output.contains("left: \(name) (nameInOtherCase)"), "\(repaired)")
      #expect(sample.contents() == before)
    }
    for verb in [["sync"], ["refill", "--yes"]] {
      let result = try await sample.devices[0].run(verb)
      #expect(result.ending == .exited(5), "\(result)")
      #expect(result.errors.contains("“\(name)”") && result.errors.contains("“ticds.notebook”"), "\(result)")
    }
    #expect(sample.contents() == before)
    try FileManager.default.moveItem(atPath: renamed, toPath: sample.application)
    #expect(try await sandbox.inspect("verify", password: encrypted).ending == .exited(0))
    for device in sample.devices { _ = try await device.sync() }
  }
}
