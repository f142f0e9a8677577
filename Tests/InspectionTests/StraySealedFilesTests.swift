import Foundation
import Inspection
import SyncProtocol
import Testing

/// A few sealed files of another remote have strayed into a plain one.
@Suite struct StraySealedFilesTests {
  enum Stray: CaseIterable {
    case descriptions, foundingRecord, both
  }

  /// A plain remote with files of an encrypted one, and a copy of before.
  private func remote(_ stray: Stray) async throws -> (
    remote: SampleRemote, copy: (place: URL, inspector: RemoteInspector), places: [String]
  ) {
    let (remote, sealed) = (try await SampleRemote(encrypted: false), try await SampleRemote(encrypted: true))
    let copy = try remote.copy()
    var places: [String] = []
    func take(_ path: String, as other: String? = nil) throws {
      let place = remote.remote.appending(path: other ?? path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: sealed.remote.appending(path: path), to: place)
      places.append(other ?? path)
    }
    if stray != .foundingRecord {
      for name in ["first", "second"] {
        try take(
          "sample/ClientDevices/client-\(name)/deviceInfo.plist",
          as: "sample/ClientDevices/other-\(name)/deviceInfo.plist")
      }
    }
    if stray != .descriptions {
      let records = try FileManager.default.contentsOfDirectory(
        atPath: sealed.remote.appending(path: "sample/Founding").path)
      try take("sample/Founding/\(try #require(records.first))")
    }
    return (remote, copy, places)
  }

  @Test(arguments: Stray.allCases)
  func `they are told as what they are and left, and all else is repaired`(_ stray: Stray)
    async throws
  {
    let (remote, copy, places) = try await remote(stray)
    let strays = try remote.contents().filter { places.contains($0.key) }
    let set = try remote.sets()[1]
    try FileManager.default.removeItem(at: set)

    let verification = try await remote.inspector.verify()
    let codes = Set(verification.findings.map(\.code))
    #expect(codes.contains(.gap), "\(verification.findings)")
    #expect(codes.contains(.keyNotAtHand) == (stray != .foundingRecord), "\(verification.findings)")
    // Of all strays a founding record alone keeps newcomers from joining.
    #expect(codes.contains(.keysWithoutEncryption) == (stray != .descriptions), "\(verification.findings)")
    #expect(!codes.contains(.rivalFoundings), "\(verification.findings)")
    #expect(!codes.contains(.encryptionStripped) && !codes.contains(.notSealed), "\(verification.findings)")
    #expect(verification.locked == 0)

    try await remote.repair(from: copy)

    #expect(FileManager.default.fileExists(atPath: set.path))
    #expect(try remote.contents().filter { places.contains($0.key) } == strays)
    let left = try await remote.inspector.verify().findings.filter { $0.severity != .hint }
    #expect(Set(left.map(\.code)).isSubset(of: [.keyNotAtHand, .keysWithoutEncryption]), "\(left)")
    #expect(left.allSatisfy { "\($0.message) \($0.next)".contains("another remote") }, "\(left)")
  }

  @Test func `sealed sets beside plain ones are no strays`() async throws {
    let (remote, sealed) = (try await SampleRemote(encrypted: false), try await SampleRemote(encrypted: true))
    let folder = try #require(try sealed.sets().first).deletingLastPathComponent()
    try FileManager.default.copyItem(
      at: folder,
      to: remote.remote.appending(path: "sample/Documents/things/SyncChanges/\(folder.lastPathComponent)"))
    #expect(try await remote.inspector.verify().findings.contains { $0.code == .encryptionStripped })
    #expect(try await remote.inspector.planRepair().actions.isEmpty)
  }
}
