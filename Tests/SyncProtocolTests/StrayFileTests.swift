import BackendConformance
import ByteFixtures
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Files of one document that came among those of another, any of them, where nothing is encrypted.
@Suite struct StrayFileTests {
  private let notes = DocumentHierarchy.notes

  /// Everything that lies below a folder of a document, by its place in the document.
  private func files(_ document: DocumentHierarchy, _ remote: MemoryBackend) -> [[RemoteName]: [UInt8]] {
    remote.files.reduce(into: [:]) { files, file in
      guard file.key.names.starts(with: document.root.names) else { return }
      files[Array(file.key.names.dropFirst(document.root.names.count))] = file.value
    }
  }

  private func put(
    _ bytes: [UInt8], at place: [RemoteName], of document: DocumentHierarchy, _ remote: MemoryBackend
  ) async throws {
    var folder = document.root
    for name in place.dropLast() {
      folder = folder / name
      try await remote.makeFolder(folder)
    }
    try await remote.upload(bytes, to: folder / place[place.count - 1])
  }

  @Test(arguments: 0..<24 as Range<UInt64>)
  func `no object of another document appears, and once all is put back everything goes on`(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let workplace = try Workplace()
    let remote = MemoryBackend()
    let work = notes.application.document(try #require(RemoteName("work")))
    let members = ["a", "b"].map { Device("notes-\($0)", in: workplace) }
    let strangers = ["a", "b"].map { Device("work-\($0)", in: workplace, document: "work") }
    for device in members + strangers { try await device.register(remote) }
    for (index, device) in (members + strangers).enumerated() {
      for edit in 0..<Int.random(in: 1...3, using: &random) {
        try device.write("\(index < 2 ? "note" : "strange") \(index) \(edit)", "text")
        try await device.sync(remote)
      }
    }
    if Bool.random(using: &random) { _ = try await strangers[0].uploadStore(remote) }
    for device in members + strangers { try await device.sync(remote) }

    // Some folders whole, some files alone.
    let (before, others) = (files(notes, remote), files(work, remote))
    let parts = Set(others.keys.compactMap(\.first)).filter { _ in Bool.random(using: &random) }
    let strays = others.keys.sorted { $0.description < $1.description }.filter { place in
      before[place] == nil && (parts.contains(place[0]) || Int.random(in: 0..<4, using: &random) == 0)
    }
    for place in strays { try await put(others[place] ?? [], at: place, of: notes, remote) }
    for place in others.keys.sorted(by: { $0.description < $1.description })
    where Int.random(in: 0..<3, using: &random) == 0 {
      try await remote.remove(place.reduce(work.root, /))
    }
    let newcomer = Device("newcomer", in: workplace)
    for _ in 0..<3 {
      _ = try? await newcomer.register(remote)
      for device in members + [newcomer] { _ = try? await device.sync(remote) }
      workplace.clock.advance(25 * 60 * 60 * 1_000)
    }
    for device in members + [newcomer] {
      #expect(try device.notes.allSatisfy { !$0.hasPrefix("strange") }, "\(strays)")
    }

    for place in strays { try? await remote.remove(place.reduce(notes.root, /)) }
    for (place, bytes) in others { try await put(bytes, at: place, of: work, remote) }
    _ = try? await newcomer.register(remote)
    for _ in 0..<3 {
      for device in members + [newcomer] + strangers { try await device.sync(remote) }
      workplace.clock.advance(25 * 60 * 60 * 1_000)
    }
    let shown = try members[0].notes
    #expect(!shown.isEmpty && shown.allSatisfy { $0.hasPrefix("note") })
    for device in [members[1], newcomer] { #expect(try device.notes == shown) }
    #expect(try strangers[0].notes == strangers[1].notes)
    #expect(try strangers[0].notes.allSatisfy { $0.hasPrefix("strange") })
  }
}
