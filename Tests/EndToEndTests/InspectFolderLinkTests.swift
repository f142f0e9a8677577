import Foundation
import ProcessTesting
import Testing

/// Symbolic links in the place of folders: nobody follows them, and a repair puts aside the link, never what it leads to, and makes the
/// folder, for devices to fill.
@Suite struct InspectFolderLinkTests {
  /// Where a link leads.
  enum Target: String, CaseIterable, Sendable {
    /// To the folder itself, which was moved away.
    case moved
    case outside, nowhere, loop
  }

  /// The table of `Docs/Damages.md`: what is found, and what a repair makes of it, by folder.
  private static let table: [String: (found: String, repair: String)] = {
    let page = try? String(contentsOf: Checkout.root.appending(path: "Docs/Damages.md"), encoding: .utf8)
    let section = page?.components(separatedBy: "## A link in the place of a folder\n").last ?? ""
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces.union(["`"])) }
    }
    return Dictionary(uniqueKeysWithValues: rows.filter { $0.count == 3 }.map { ($0[0], ($0[1], $0[2])) })
  }()

  /// Folders that are as they should be once devices have synchronised; others they look after once a day.
  private static let filled = table.filter { ["clean", "healed"].contains($0.value.repair) }.keys.sorted()
  private static let others = table.keys.filter { !filled.contains($0) }.sorted()

  /// The codes of what is found, in order.
  private func codes(_ output: String) -> String {
    Set(output.matches(of: /\((\w+)\)\n/).map { String($0.1) }).sorted().joined(separator: ", ")
  }

  @Test func `the page names every folder of the hierarchy`() async throws {
    let sandbox = try await Sandbox.bothWriting(content: String(repeating: "long ", count: 8_000))
    let root = sandbox.remote.appending(path: "ticds.notebook").path
    let folders = try FileManager.default.subpathsOfDirectory(atPath: root).filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
        && isFolder.boolValue
    }.map { $0.replacing(/(ClientDevices|SyncChanges)\/.+/) { "\($0.1)/*" } }
    #expect(Set(folders).isSubset(of: Self.table.keys), "\(folders)")
    #expect(Self.filled.count == 10 && Self.others.count == 5)
  }

  private struct Linked {
    let sandbox: Sandbox
    let devices: [Device]
    /// Where the link lies.
    let path: String
    let link: String
    /// What it leads to, if that is the folder that lay there.
    let elsewhere: String
    let moved: [String: Data?]
  }

  private func contents(_ folder: URL) -> [String: Data?] {
    Dictionary(uniqueKeysWithValues: Snapshot(folder).entries.map { ($0.path, $0.bytes) })
  }

  private func target(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// A remote with everything, in which a link lies in the place of a folder; a copy of it as it was lies beside it.
  private func linked(_ folder: String, _ target: Target) async throws -> Linked {
    let sandbox = try Sandbox()
    let devices = [try await sandbox.device("alice"), try await sandbox.device("bob")]
    for number in 1...2 {
      for writer in devices {
        let text = String(repeating: "long \(number) of \(writer.name) ", count: 4_000)
        _ = try await writer.add("\(writer.name) \(number)", content: text)
        for device in [writer] + devices { _ = try await device.sync() }
      }
    }
    try await devices[0].succeed("upload-store", "--json")
    _ = try await devices[1].sync()
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: sandbox.path("copy"))
    var place = sandbox.remote.appending(path: "ticds.notebook/\(folder)")
    if folder.hasSuffix("/*") {
      place.deleteLastPathComponent()
      let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
      place.append(path: try #require(names.first))
    }
    let elsewhere = sandbox.path("elsewhere")
    try FileManager.default.moveItem(atPath: place.path, toPath: elsewhere)
    let link =
      switch target {
      // Not every text is the shortest way to where it leads.
      case .moved: sandbox.folder.path + "/./elsewhere"
      case .outside: "/etc"
      case .nowhere: "../nowhere"
      case .loop: place.lastPathComponent
      }
    try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: link)
    return Linked(
      sandbox: sandbox, devices: devices, path: place.path, link: link, elsewhere: elsewhere,
      moved: contents(URL(filePath: elsewhere)))
  }

  private func expectKept(_ linked: Linked, _ before: [String: Data?]) {
    #expect(target(linked.path) == linked.link)
    #expect(contents(linked.sandbox.remote) == before)
    #expect(contents(URL(filePath: linked.elsewhere)) == linked.moved)
  }

  @Test(arguments: filled, [Target.moved, .loop])
  func `the folder is made in place of the link, devices fill it, and undoing puts the same link back`(
    folder: String, target: Target
  ) async throws {
    let linked = try await linked(folder, target)
    let sandbox = linked.sandbox
    let before = contents(sandbox.remote)
    let found = try await sandbox.inspect("verify")
    #expect(codes(found.output) == Self.table[folder]?.found)
    let plan = try await sandbox.inspect("repair")
    #expect(!plan.output.contains("left: "), "\(plan.output)")
    expectKept(linked, before)

    _ = try await sandbox.inspect("repair", "--apply", "--quarantine", sandbox.path("kept"))
    var isFolder: ObjCBool = false
    let isMade =
      FileManager.default.fileExists(atPath: linked.path, isDirectory: &isFolder) && isFolder.boolValue
    // That of a device is of no use without what describes the device.
    #expect(isMade || folder == "ClientDevices/*")
    #expect(self.target(linked.path) == nil)
    let undone = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"))
    #expect(undone.ending == .exited(0), "\(undone)")
    expectKept(linked, before)

    _ = try await sandbox.inspect("repair", "--apply", "--quarantine", sandbox.path("kept again"))
    for _ in 1...3 { for device in linked.devices { _ = try await device.sync() } }
    let verified = try await sandbox.inspect("verify")
    #expect(verified.ending == .exited(0), "\(verified.output)")
    let carol = try await sandbox.device("carol")
    _ = try await carol.sync()
    for device in linked.devices { #expect(try await device.list() == carol.list()) }
    #expect(contents(URL(filePath: linked.elsewhere)) == linked.moved)
  }

  @Test(arguments: others + ["Documents/notes/SyncChanges"], [Target.outside, .nowhere])
  func `a copy of the remote gives back what lay in a folder in whose place a link lies`(
    folder: String, target: Target
  ) async throws {
    let linked = try await linked(folder, target)
    let sandbox = linked.sandbox
    let before = contents(sandbox.remote)
    let found = try await sandbox.inspect("verify")
    #expect(codes(found.output) == Self.table[folder]?.found)

    let applied = try await sandbox.inspect(
      "repair", "--from", sandbox.path("copy"), "--apply", "--quarantine", sandbox.path("kept"))
    #expect(!applied.output.contains("left: "), "\(applied.output)")
    #expect(self.target(linked.path) == nil)
    let verified = try await sandbox.inspect("verify")
    #expect(verified.ending == .exited(0), "\(verified.output)")
    let undone = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"))
    #expect(undone.ending == .exited(0), "\(undone)")
    expectKept(linked, before)
  }
}
