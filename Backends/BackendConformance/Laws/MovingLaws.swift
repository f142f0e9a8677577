import SyncProtocol

extension BackendConformance {
  static let movingLaws = [
    Law("a back end that declares to move does so") { context in
      try context.require(.move, "move")
      try await context.backend.upload([1], to: context.path("one"))
      try await context.backend.upload([2], to: context.path("c"))
      try await context.write([3], to: "place/inner/file")
      try await context.write([4], to: "e/file")
      // Within its folder, to another, a folder with what is in it, and to names that begin alike.
      for (source, destination) in [
        ("one", "two"), ("two", "place/two"), ("place/two", "place/inner/two"), ("c", "cd"),
        ("place/inner", "deep"), ("e", "ef"), ("deep", "ef/deep"),
      ] {
        do {
          try await context.backend.move(context.path(source), to: context.path(destination))
        } catch let error as BackendError {
          throw ConformanceFailure(
            description: "“\(source)” was not moved to “\(destination)”, though move is declared: \(error)")
        }
        let isThere = try await context.isPresent(context.path(destination))
        try context.expect(isThere, "after moving “\(source)” to “\(destination)”, that is not there")
        let isLeft = try await context.isPresent(context.path(source))
        try context.expect(!isLeft, "after moving “\(source)” to “\(destination)”, the source is still there")
      }
    },
    Law("files and folders move with their content") { context in
      try await context.makeFolder("a/inner")
      try await context.makeFolder("b")
      try await context.backend.upload([1], to: context.path("a/inner/file"))
      try await context.move("a/inner/file", to: "b/moved")
      try await context.expectContent([1], at: "b/moved")
      try await context.write([2], to: "b/deep/deeper/file")
      try await context.write([], to: "b/nothing")
      if context.keepsEmptyFolders { try await context.makeFolder("b/deep/void/inner") }
      try await context.move("b", to: "a/inner/b")
      try await context.expectContent([1], at: "a/inner/b/moved")
      try await context.expectContent([2], at: "a/inner/b/deep/deeper/file")
      let deep = try await context.names(in: "a/inner/b/deep/deeper")
      try context.expect(deep == ["file"], "a moved folder lists \(deep) deep inside")
      let names = try await context.names(in: "")
      try context.expect(names == ["a"], "found \(names)")
      try await context.expectContent([], at: "a/inner/b/nothing")
      guard context.keepsEmptyFolders else { return }
      let void = try await context.names(in: "a/inner/b/deep/void")
      try context.expect(void == ["inner"], "of empty folders in a moved one, \(void) came along")
      try await context.move("a/inner/b/deep/void", to: "void")
      let inner = try await context.names(in: "void")
      try context.expect(inner == ["inner"], "of an empty folder in a moved one, \(inner) came along")
    },
    Law("a folder is moved together with what other programs put into it") { context in
      guard let addForeign = context.storage.addForeign else {
        throw context.skip("the suite was given no way to add foreign files")
      }
      try await context.write([1], to: "folder/inner/file")
      for place in ["folder", "folder/inner"] { try await addForeign("a b", context.path(place)) }
      try await context.move("folder", to: "moved")
      for place in ["moved", "moved/inner"] {
        let foreign = try await context.backend.list(context.path(place)).foreign
        try context.expect(foreign == ["a b"], "of “a b”, \(foreign) came along to “\(place)”")
      }
    },
    Law("a move that fails names the entry that it failed for") { context in
      for file in ["one", "other", "two", "third", "fourth/file", "folder/file"] {
        try await context.write([1], to: file)
      }
      var moves = [
        ("absent", "new", "absent", "nothing to move"), ("one", "two", "two", "a file that is there"),
        ("other", "folder", "folder", "a folder that is there"),
        ("fourth", "third", "third", "a file that is there"),
      ]
      if context.keepsEmptyFolders { moves.append(("two", "none/two", "none/two", "no folder to go to")) }
      for (source, destination, culprit, reason) in moves {
        do { try await context.move(source, to: destination) } catch let error as BackendError {
          let path = try context.path(culprit)
          let isRight = error.path == path || error.path == path.parent && error.path != .root
          try context.expect(
            isRight, "moving “\(source)” to “\(destination)”, with \(reason), failed at “\(error.path)”")
        }
      }
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
      // Nor is a folder whose name the old one begins.
      try await context.move("za", to: "a")
      try await context.move("a", to: "ab/a")
      let inside = Set(try await context.names(in: "ab"))
      try context.expect(
        inside == ["a", "file"], "after moving “a” into “ab”, that holds \(inside.sorted())")
      // So it is with files, and deeper.
      let files = ["f", "fa", "f-b", "f.c"]
      for file in files { try await context.write(Array(file.utf8), to: "deep/er/\(file)") }
      try await context.move("deep/er/f", to: "deep/er/fz")
      let deep = try await context.names(in: "deep/er")
      try context.expect(
        deep == ["f-b", "f.c", "fa", "fz"], "after moving “f” to “fz” in “deep/er” there is \(deep)")
      for file in files.dropFirst() {
        try await context.expectContent(Array(file.utf8), at: "deep/er/\(file)")
      }
      try await context.expectContent(Array("f".utf8), at: "deep/er/fz")
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
