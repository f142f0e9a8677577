import SyncProtocol

// What one client does, another one must see.
extension BackendConformance {
  static let sharingLaws = [
    Law("what another client writes is listed", alsoOfPages: true) { context in
      let other = try await context.anotherClient()
      try await context.write([1], to: "folder/one")
      for client in [context.backend, other] {
        try await context.eventually("the first file is not listed") {
          try await context.names(in: "folder", for: client) == ["one"]
        }
      }
      try await other.upload([2], to: context.path("folder/two"))
      try await context.eventually("a file of another client is not listed by one that listed before") {
        try await context.names(in: "folder") == ["one", "two"]
      }
      try await context.backend.remove(context.path("folder/one"))
      try await context.eventually("a file that another client removed is still listed") {
        try await context.names(in: "folder", for: other) == ["two"]
      }
    },
    Law("what another client replaced is read anew") { context in
      let other = try await context.anotherClient()
      let path = try context.path("file")
      for round in UInt8(0)..<4 {
        try await (round % 2 == 0 ? context.backend : other).upload([round], to: path)
        for client in [context.backend, other] {
          try await context.eventually("a client reads what another one had replaced") {
            (try? await client.download(path, limit: 10)) == [round]
          }
        }
      }
    },
    Law("what another client created, replaced or removed is examined anew") { context in
      let other = try await context.anotherClient()
      let path = try context.path("file")
      for exists in [false, true, false] {
        if exists { try await other.upload([1], to: path) }
        if !exists, try await context.isPresent(path, for: other) { try await other.remove(path) }
        try await context.eventually("a client does not see that a file \(exists ? "came" : "went")") {
          try await context.isPresent(path) == exists
        }
      }
      var sizes: Set<Int64> = []
      for count in 1...3 {
        try await other.upload([UInt8](repeating: 1, count: count), to: path)
        try await context.eventually("a client does not see that a file has another size") {
          guard let size = try await context.backend.stat(path).size else { return true }
          return sizes.insert(size).inserted
        }
      }
    },
    Law("a name that another client took cannot be created") { context in
      let other = try await context.anotherClient()
      let path = try context.path("file")
      try await context.expectFailure(.notFound, of: "examining an absent file") {
        try await context.backend.stat(path)
      }
      try await other.createIfAbsent([1], at: path)
      try await context.expectFailure(.alreadyExists, of: "creating what another client created before") {
        try await context.backend.createIfAbsent([2], at: path)
      }
      try await context.expectContent([1], at: "file", for: other)
    },
    Law("what was written, made and moved is there when the storage is opened again") { context in
      let scratch = try ScratchFolder()
      try scratch.write([3], to: scratch.file("source"))
      try await context.makeFolder("folder/empty")
      try await context.backend.upload([1], to: context.path("folder/uploaded"))
      try await context.backend.createIfAbsent([2], at: context.path("folder/created"))
      try await context.backend.upload(file: scratch.file("source"), to: context.path("folder/copied"))
      try await context.backend.upload([4], to: context.path("folder/before"))
      let last = try await context.moveIfPossible("folder/before", to: "folder/moved") ? "moved" : "before"
      try await context.storage.reopen()
      let later = try await context.anotherClient()
      let names = ["copied", "created", "uploaded"] + (context.keepsEmptyFolders ? ["empty"] : [])
      try await context.eventually("only a part is there after reopening") {
        try await context.names(in: "folder", for: later) == (names + [last]).sorted()
      }
      try await context.expectContent([4], at: "folder/\(last)", for: later)
      try await context.expectContent([1], at: "folder/uploaded", for: later)
      try await context.expectContent([2], at: "folder/created", for: later)
      try await context.expectContent([3], at: "folder/copied", for: later)
    },
    Law("what was removed stays removed when the storage is opened again") { context in
      try await context.write([1], to: "folder/file")
      try await context.write([1], to: "other/file")
      try await context.backend.remove(context.path("folder/file"))
      try await context.backend.remove(context.path("other"))
      try await context.storage.reopen()
      let later = try await context.anotherClient()
      let names = [
        try await context.names(in: "", for: later), try await context.remaining(in: "folder", for: later),
      ]
      try context.expect(
        names == [context.keepsEmptyFolders ? ["folder"] : [], []], "after reopening there is \(names)")
    },
  ]
}
