import SyncProtocol

extension BackendConformance {
  static let movingLaws = [
    Law("a back end that declares to move does so") { context in
      try context.require(.move, "move")
      try await context.backend.upload([1], to: context.path("one"))
      try await context.backend.move(context.path("one"), to: context.path("two"))
      try await context.expectContent([1], at: "two")
      let names = try await context.names(in: "")
      try context.expect(names == ["two"], "after a move there is \(names)")
    },
    Law("files and folders move with their content") { context in
      try await context.makeFolder("a/inner")
      try await context.makeFolder("b")
      try await context.backend.upload([1], to: context.path("a/inner/file"))
      try await context.move("a/inner/file", to: "b/moved")
      try await context.expectContent([1], at: "b/moved")
      try await context.write([2], to: "b/deep/deeper/file")
      try await context.move("b", to: "a/inner/b")
      try await context.expectContent([1], at: "a/inner/b/moved")
      try await context.expectContent([2], at: "a/inner/b/deep/deeper/file")
      let deep = try await context.names(in: "a/inner/b/deep/deeper")
      try context.expect(deep == ["file"], "a moved folder lists \(deep) deep inside")
      let names = try await context.names(in: "")
      try context.expect(names == ["a"], "found \(names)")
    },
    Law("a move never replaces and needs a source and a folder to go to") { context in
      try await context.backend.upload([1], to: context.path("one"))
      try await context.backend.upload([2], to: context.path("two"))
      try await context.expectFailure(.alreadyExists, of: "moving onto a file") {
        try await context.move("one", to: "two")
      }
      try await context.expectFailure(.notFound, of: "moving what does not exist") {
        try await context.move("absent", to: "three")
      }
      if context.keepsEmptyFolders {
        try await context.expectFailure(.notFound, of: "moving into an absent folder") {
          try await context.move("one", to: "absent/one")
        }
      }
      try await context.write([3], to: "folder/three")
      try await context.expectFailure(.alreadyExists, of: "moving a file onto a folder") {
        try await context.move("one", to: "folder")
      }
      try await context.expectFailure(.alreadyExists, of: "moving a folder onto a file") {
        try await context.move("folder", to: "one")
      }
      try await context.expectFailure(.notFound, .notADirectory, of: "moving a file to below another") {
        try await context.move("one", to: "two/one")
      }
      let names = [try await context.names(in: ""), try await context.names(in: "folder")]
      try context.expect(
        names == [["folder", "one", "two"], ["three"]], "refused moves left \(names)")
      try await context.expectContent([1], at: "one")
      try await context.expectContent([2], at: "two")
    },
    Law("a file that is moved onto itself stays, for its name is taken") { context in
      try await context.backend.upload([1], to: context.path("file"))
      try await context.expectFailure(.alreadyExists, of: "moving a file onto itself") {
        try await context.move("file", to: "file")
      }
      try await context.expectContent([1], at: "file")
    },
    Law("a folder is never moved onto a folder") { context in
      try await context.write([1], to: "one/file")
      if context.keepsEmptyFolders { try await context.makeFolder("two") }
      if !context.keepsEmptyFolders { try await context.write([2], to: "two/other") }
      try await context.expectFailure(.alreadyExists, of: "moving a folder onto another") {
        try await context.move("one", to: "two")
      }
      try await context.expectContent([1], at: "one/file")
    },
    Law("a move takes nothing along whose name begins alike") { context in
      for folder in ["a", "ab", "a-b", "a_b"] { try await context.write([1], to: "\(folder)/file") }
      try await context.move("a", to: "z")
      let names = try await context.names(in: "")
      try context.expect(names == ["a-b", "a_b", "ab", "z"], "after moving “a” to “z” there is \(names)")
      for folder in ["ab", "a-b", "a_b"] { try await context.expectContent([1], at: "\(folder)/file") }
      // A name that the old one begins is a place of its own, not one inside.
      try await context.move("z", to: "za")
      let after = try await context.names(in: "")
      try context.expect(after == ["a-b", "a_b", "ab", "za"], "after moving “z” to “za” there is \(after)")
    },
    Law("a folder that was moved away leaves nothing behind") { context in
      try await context.write([1], to: "old/file")
      try await context.move("old", to: "new")
      try await context.backend.makeDirectory(context.path("old"))
      let names = try await context.remaining(in: "old")
      try context.expect(names.isEmpty, "a folder that was moved away and made again holds \(names)")
    },
    Law("a folder with more than a thousand entries is moved whole, and leaves nothing behind") { context in
      let count = context.sizes.entries
      try await context.fill("folder", count)
      // Before and behind the many, by name.
      let folders = ["a", "z"]
      for inner in folders {
        try await context.write(LawContext.bytes(50, seed: 1), to: "folder/\(inner)/file")
      }
      // That all of it is listed is a law of its own.
      let before = Set(try await context.names(in: "folder"))
      guard before.count == count + folders.count else { return }
      try await context.move("folder", to: "moved")
      let names = Set(try await context.names(in: "moved"))
      let missed = before.subtracting(names)
      try context.expect(
        names == before,
        "of \(before.count) entries of a moved folder, \(missed.count) did not arrive: \(missed.sorted().prefix(3))"
      )
      // Some of each page, whatever is taken for one.
      let some = Array(stride(from: 0, to: count, by: max(7, count / 40))) + [count - 1]
      for number in some { try await context.expectContent([1], at: "moved/file-\(number)") }
      for inner in folders {
        try await context.expectContent(LawContext.bytes(50, seed: 1), at: "moved/\(inner)/file")
      }
      for number in some where try await context.isPresent(context.path("folder/file-\(number)")) {
        throw ConformanceFailure(
          description: "“folder/file-\(number)” is still there, though its folder was moved")
      }
      let left = try await context.names(in: "")
      try context.expect(
        left.contains("moved") && !left.contains("folder"),
        "after a folder was moved to “moved” there is \(left)")
      try await context.makeFolder("folder")
      let old = try await context.remaining(in: "folder")
      try context.expect(
        old.isEmpty, "a big folder that was moved away and made again holds \(old.count) entries")
    },
    Law("a folder is not moved into itself") { context in
      try await context.write([1], to: "folder/inner/file")
      for place in ["folder/new", "folder/inner/new"] {
        do {
          try await context.backend.move(context.path("folder"), to: context.path(place))
        } catch is BackendError {
          try await context.expectContent([1], at: "folder/inner/file")
          let names = [try await context.names(in: "folder"), try await context.names(in: "folder/inner")]
          try context.expect(
            names == [["inner"], ["file"]], "a refused move of “folder” to “\(place)” left \(names)")
          continue
        }
        throw ConformanceFailure(description: "moving “folder” to “\(place)” succeeded")
      }
    },
  ]
}
