import ChangeTracking
import TemporaryFolders
import Testing

@testable import NotebookModel
@testable import SyncProtocol

/// What a person reads of where a notebook stands.
@Suite struct StatusLineTests {
  private func lines(_ devices: [DocumentStatus.Device], _ separations: [SyncFinding] = []) throws -> [String]
  {
    let folder = try TemporaryFolder()
    let store = try Notebook.openStore(at: folder.file("notes.sqlite"), access: .create)
    var status = DocumentStatus.unregistered(try store.newReplica(.init(client: "here")).status())
    (status.devices, status.separations) = (devices, separations)
    return StatusLines(status, keys: nil, titles: NoteTitles(), isEncrypted: false).all
  }

  private func device(_ author: UInt64, client: String, seesAll: Bool = false) -> DocumentStatus.Device {
    DocumentStatus.Device(
      author: AuthorID(bits: author), client: client, name: client, isThisDevice: false, isFormerSelf: false,
      pushed: 1, seen: 1, hasSeenEverything: seesAll, isRemoved: false, isSucceeded: false)
  }

  @Test func `what a device was before it went on as another does not take part, and lacks nothing`() throws {
    let lines = try lines([device(1, client: "laptop"), device(2, client: "laptop", seesAll: true)])

    #expect(
      lines.contains("device:    laptop \(DeviceNaming.formerly): does not take part any more"), "\(lines)")
    #expect(lines.contains("device:    laptop: has everything"), "\(lines)")
  }

  @Test func `a device that has not seen everything lacks changes`() throws {
    #expect(try lines([device(1, client: "laptop")]).contains("device:    laptop: lacks changes"))
  }

  @Test func `whoever is told of a deletion that anybody can have written down learns where that lies`() {
    let advice = NotebookFailures.advice(
      .documentDeleted,
      recovery: "This store keeps everything. If nobody has deleted it, remove “x”: anybody can.")

    #expect(
      advice?.hasSuffix(". If nobody has deleted it, remove “x”: anybody can.") == true, "\(advice ?? "")")
    #expect(NotebookFailures.advice(.documentDeleted, recovery: "It is kept.")?.contains("nobody") == false)
  }

  @Test(arguments: [
    SyncFinding.unverifiedHeads(count: 1, first: "x"), .headsOfDeleted(count: 1, first: "x"),
  ])
  func `files that are ignored block nothing`(finding: SyncFinding) throws {
    let lines = try lines([], [finding])

    #expect(lines.contains("ignored:   \(finding)"), "\(lines)")
  }
}
