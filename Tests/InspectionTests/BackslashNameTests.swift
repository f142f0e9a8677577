import Foundation
import Inspection
import SyncProtocol
import Testing

/// Names with backslashes, which programs for Windows take for what stands between folders, and everybody else for a character.
@Suite struct BackslashNameTests {
  private func finding(_ name: String, in remote: SampleRemote) async throws -> Finding {
    try #require(try await remote.inspector.verify().findings.first { $0.path == name })
  }

  @Test(arguments: [true, false])
  func `a file of ours under its path with backslashes may be the only copy, and is not to be removed`(
    _ isInRoot: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: false)
    let set = try #require(try remote.sets().first)
    let path = String(set.path.dropFirst(remote.remote.path.count + 1))
    let inner = isInRoot ? path : String(path.dropFirst("sample/".count))
    let name = inner.replacing("/", with: #"\"#)
    let place = isInRoot ? name : "sample/\(name)"
    try FileManager.default.moveItem(at: set, to: remote.remote.appending(path: place))

    let finding = try await finding(place, in: remote)

    #expect(finding.code == .conflictCopy)
    #expect(finding.message.contains("“\(inner)”"), "\(finding)")
    #expect(finding.next.contains("move it there") && !finding.next.contains("emove it"), "\(finding)")
  }

  @Test(arguments: [#"a\b"#, #"\"#, #"..\..\passwd"#, #"C:\notes\$x 'y' "z""#])
  func `another name is told in full as it is`(_ name: String) async throws {
    let remote = try await SampleRemote(encrypted: false)
    for folder in ["", "sample/Documents/things/SyncChanges/"] {
      try Data("x".utf8).write(to: remote.remote.appending(path: folder + name))
      let finding = try await finding(folder + name, in: remote)
      #expect(finding.code == .foreignEntry, "\(finding)")
    }
    var names: [String] = []
    try await remote.inspector.walk { node, _, _ in if node.role == .foreign { names.append(node.name) } }
    #expect(names == [name, name])
  }
}
