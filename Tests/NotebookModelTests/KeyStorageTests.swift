import CommandLineTool
import Crypto
import Foundation
import TemporaryFolders
import Testing

@testable import NotebookModel

@Suite struct KeyStorageTests {
  @Test func `keys come back, the one that seals first`() throws {
    try withTemporaryFolder { folder in
      let storage = KeyStorage(file: folder.appending(path: "keys"))
      let ring = KeyRing(try .generate(), try .generate(), try .generate())
      try storage.write(ring)
      let read = try storage.read()
      #expect(read.primary.identifier == ring.primary.identifier)
      #expect(Set(read.identifiers) == Set(ring.identifiers))
      let sealed = try SealedContainer.seal(
        [1, 2, 3], as: .init(role: "test", identity: ""), with: ring.primary)
      #expect(
        try SealedContainer.open(sealed, as: .init(role: "test", identity: ""), with: read) == [1, 2, 3])
    }
  }

  @Test func `keys that are there are never written over`() throws {
    try withTemporaryFolder { folder in
      let storage = KeyStorage(file: folder.appending(path: "keys"))
      let first = try MasterKey.generate()
      try storage.write(KeyRing(first))
      #expect(throws: ToolFailure.self) { try storage.write(KeyRing(try .generate())) }
      #expect(try storage.read().primary.identifier == first.identifier)
    }
  }

  @Test func `keys can be replaced, and stay private`() throws {
    try withTemporaryFolder { folder in
      let storage = KeyStorage(file: folder.appending(path: "keys"))
      try storage.write(KeyRing(try .generate()))
      let ring = KeyRing(try .generate(), try .generate())
      try storage.replace(with: ring)
      #expect(try storage.read().all.map(\.identifier) == ring.all.map(\.identifier))
      let attributes = try FileManager.default.attributesOfItem(atPath: storage.file.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys"])
    }
  }

  @Test(arguments: [
    "", "\n", "00", String(repeating: "g", count: 64), String(repeating: "0", count: 63) + "\n",
  ])
  func `a damaged file is a failure that names it`(text: String) throws {
    try withTemporaryFolder { folder in
      let storage = KeyStorage(file: folder.appending(path: "keys"))
      try Data(text.utf8).write(to: storage.file)
      let failure = #expect(throws: ToolFailure.self) { try storage.read() }
      #expect(failure?.status == .damaged)
      #expect(failure?.message.contains(storage.file.path) == true)
    }
  }

  @Test func `a missing file is another failure`() throws {
    try withTemporaryFolder { folder in
      let failure = #expect(throws: ToolFailure.self) {
        try KeyStorage(file: folder.appending(path: "keys")).read()
      }
      #expect(failure?.status == .forbidden)
    }
  }
}
