import Foundation
import ProcessTesting
import Testing

/// Symbolic links in the place of files: nobody follows them, and a repair puts aside the link and never what it leads to.
@Suite struct InspectLinkTests {
  enum Place: String, CaseIterable, Sendable {
    case set, head, value, keys, copy, founding
  }

  private func contents(_ sandbox: Sandbox) -> [String: Data?] {
    Dictionary(uniqueKeysWithValues: Snapshot(sandbox.remote).entries.map { ($0.path, $0.bytes) })
  }

  private func target(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// A remote with everything, in which a link lies in the place of a file; what it leads to is that file.
  private func linked(_ place: Place) async throws -> (
    sandbox: Sandbox, devices: [Device], path: String, bytes: Data
  ) {
    let sandbox = try Sandbox()
    let (alice, bob) = (try await sandbox.device("alice"), try await sandbox.device("bob"))
    for number in 1...2 {
      _ = try await alice.add("note \(number)", content: String(repeating: "long \(number) ", count: 8_000))
      for device in [alice, bob] { _ = try await device.sync() }
    }
    try await alice.succeed("upload-store", "--json")
    let path = try #require(
      contents(sandbox).keys.filter {
        $0.hasSuffix(".\(place.rawValue)") && (place != .founding || $0.contains("/notes/"))
      }.sorted().first)
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: sandbox.path("copy"))
    let elsewhere = sandbox.path("elsewhere")
    let bytes = try Data(contentsOf: URL(filePath: path))
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
    // Not every text is the shortest way to where it leads.
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: sandbox.folder.path + "/./elsewhere")
    return (sandbox, [alice, bob], path, bytes)
  }

  @Test(arguments: [Place.set, .head, .value, .copy])
  func `the link is put aside, what it leads to stays, and undoing puts the same link back`(place: Place)
    async throws
  {
    let (sandbox, devices, path, bytes) = try await linked(place)
    let link = try #require(target(path))
    let before = contents(sandbox)
    let found = try await sandbox.inspect("verify")
    #expect(found.output.contains("(fileReplaced)"), "\(found.output)")

    _ = try await sandbox.inspect("repair", "--apply", "--quarantine", sandbox.path("kept"))
    #expect(target(path) == nil)
    #expect(try Data(contentsOf: URL(filePath: sandbox.path("elsewhere"))) == bytes)
    let undone = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"))
    #expect(undone.ending == .exited(0), "\(undone)")
    #expect(target(path) == link)
    #expect(contents(sandbox) == before)

    _ = try await sandbox.inspect("repair", "--apply", "--quarantine", sandbox.path("kept again"))
    for _ in 1...3 { for device in devices { _ = try await device.sync() } }
    let verified = try await sandbox.inspect("verify")
    #expect(verified.ending == .exited(0), "\(verified.output)")
    #expect(try await devices[0].list() == devices[1].list())
    let carol = try await sandbox.device("carol")
    _ = try await carol.sync()
    #expect(try await carol.list() == devices[0].list())
  }

  @Test(arguments: [Place.set, .head, .value, .copy, .founding])
  func `a copy of the remote gives back the file in whose place a link lay`(place: Place) async throws {
    let (sandbox, _, path, bytes) = try await linked(place)
    let before = contents(sandbox)
    func apply(_ quarantine: String) async throws {
      _ = try await sandbox.inspect(
        "repair", "--from", sandbox.path("copy"), "--apply", "--quarantine", sandbox.path(quarantine))
    }
    try await apply("kept")
    #expect(target(path) == nil)
    if place != .copy { #expect(try Data(contentsOf: URL(filePath: path)) == bytes) }
    let verified = try await sandbox.inspect("verify")
    #expect(verified.ending == .exited(0), "\(verified.output)")
    let undone = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"))
    #expect(undone.ending == .exited(0), "\(undone)")
    #expect(contents(sandbox) == before)
    #expect(target(path) != nil)
  }

  @Test
  func `a link in place of the only key file is put aside without a key, and a device puts the file back`()
    async throws
  {
    let (sandbox, devices, path, bytes) = try await linked(.keys)
    let link = try #require(target(path))
    let repaired = try await sandbox.inspect(
      "repair", "--apply", "--quarantine", sandbox.path("kept"), password: false)
    #expect(target(path) == nil, "\(repaired)")
    #expect(try Data(contentsOf: URL(filePath: sandbox.path("elsewhere"))) == bytes)
    _ = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"), password: false)
    #expect(target(path) == link)
    _ = devices
  }
}
