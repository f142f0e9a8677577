import SyncProtocol

extension BackendConformance {
  static let removalLaws = [
    Law("a removed file is gone, and only that") { context in
      let content = LawContext.bytes(1_000, seed: 1)
      for name in ["one", "twin"] { try await context.backend.upload(content, to: context.path(name)) }
      try await context.backend.upload([2], to: context.path("two"))
      try await context.backend.remove(context.path("one"))
      let names = try await context.names(in: "")
      try context.expect(names == ["twin", "two"], "found \(names)")
      try await context.expectUntouched(content, at: "twin", by: "removing “one”, which held the same")
      try await context.expectFailure(.notFound, of: "removing a file twice") {
        try await context.backend.remove(context.path("one"))
      }
    },
    Law("a folder is removed with everything in it") { context in
      try await context.makeFolder("a/b/c")
      try await context.backend.upload([1], to: context.path("a/b/c/file"))
      try await context.backend.upload([1], to: context.path("a/file"))
      try await context.backend.upload([1], to: context.path("b"))
      try await context.backend.remove(context.path("a"))
      let names = try await context.names(in: "")
      try context.expect(names == ["b"], "found \(names)")
    },
    Law("however deep its folders are nested, a folder is removed whole") { context in
      // Deeper than whoever opens a descriptor or a call for each dares to go, and within what servers take for an address.
      let deepest = Array(repeating: "d", count: 80).joined(separator: "/")
      do {
        try await context.write([1], to: "deep/\(deepest)/file")
      } catch let error as BackendError where error.code == .unsupported {
        throw context.skip("the storage does not nest folders that deep: \(error)")
      }
      try await context.backend.remove(context.path("deep"))
      let names = try await context.names(in: "")
      try context.expect(names.isEmpty, "found \(names)")
      try await context.makeFolder("deep/d")
      let left = try await context.remaining(in: "deep/d")
      try context.expect(left.isEmpty, "a folder that was made again holds \(left)")
    },
    Law("a folder can be removed as soon as its files are") { context in
      // Some drivers show for a moment what has gone, or keep it under a hidden name.
      for round in 0..<3 {
        let folder = "folder-\(round)"
        try await context.fill(folder, 20)
        try await context.makeFolder("\(folder)/inner")
        for number in (0..<20).reversed() {
          try await context.backend.remove(context.path("\(folder)/file-\(number)"))
        }
        if try await context.isPresent(context.path(folder)) {
          try await context.backend.remove(context.path(folder))
        }
      }
      let names = try await context.names(in: "")
      try context.expect(names.isEmpty, "found \(names)")
    },
    Law("a removed name can be used again") { context in
      let path = try context.path("file")
      try await context.backend.createIfAbsent([1], at: path)
      try await context.backend.remove(path)
      try await context.backend.createIfAbsent([2], at: path)
      try await context.expectContent([2], at: "file")
    },
    Law("what was in a removed folder does not come back when it is made again") { context in
      try await context.write([1], to: "folder/file")
      try await context.makeFolder("folder/inner")
      try await context.backend.remove(context.path("folder"))
      try await context.backend.makeDirectory(context.path("folder"))
      let names = try await context.remaining(in: "folder")
      try context.expect(names.isEmpty, "a folder that was made again holds \(names)")
      try await context.makeFolder("folder/inner")
      try await context.expectFailure(.notFound, of: "examining what was removed with its folder") {
        try await context.backend.stat(context.path("folder/file"))
      }
    },
    Law("a removal takes nothing along whose name begins alike") { context in
      for name in ["ab", "a-b", "a.b", "a0"] { try await context.write([1], to: name) }
      for folder in ["ac", "a-c"] { try await context.write([2], to: "\(folder)/file") }
      try await context.write([3], to: "a/file")
      try await context.backend.remove(context.path("a"))
      let names = try await context.names(in: "")
      try context.expect(
        names == ["a-b", "a-c", "a.b", "a0", "ab", "ac"], "after the removal of “a” there is \(names)")
      try await context.expectContent([2], at: "ac/file")
      try await context.expectContent([2], at: "a-c/file")
    },
    Law("an underscore or a dot in the name of what is removed stands for itself") { context in
      for name in ["x_y", "xay", "x.y", "x-y"] { try await context.write([1], to: "files/\(name)") }
      for name in ["x_y", "xay", "x.y", "x-y"] { try await context.write([1], to: "folders/\(name)/file") }
      for place in ["files", "folders"] {
        try await context.backend.remove(context.path("\(place)/x_y"))
        try await context.backend.remove(context.path("\(place)/x.y"))
        let names = try await context.names(in: place)
        try context.expect(names == ["x-y", "xay"], "after the removal of x_y and x.y there is \(names)")
      }
      try await context.expectContent([1], at: "folders/xay/file")
    },
    Law("a removal of a name in one case takes nothing along that differs in case") { context in
      try await context.write([1], to: "folder/file")
      do { try await context.backend.makeDirectory(context.path("FOLDER")) } catch is BackendError {}
      if !context.keepsEmptyFolders { try await context.write([2], to: "FOLDER/file") }
      let folders = try await context.names(in: "")
      guard folders == ["FOLDER", "folder"] else {
        throw context.skip("the storage takes names that differ in case for one: \(folders)")
      }
      try await context.write([2], to: "FOLDER/file")
      try await context.backend.remove(context.path("folder"))
      let names = try await context.names(in: "")
      try context.expect(names == ["FOLDER"], "after the removal of “folder” there is \(names)")
      try await context.expectContent([2], at: "FOLDER/file")
    },
    Law("a folder with more than a thousand files is removed whole") { context in
      let count = min(context.sizes.entries, 1_100)
      try await context.fill("folder", count)
      try await context.backend.remove(context.path("folder"))
      var left = try await context.isPresent(context.path("folder")) ? 1 : 0
      for number in 0..<count where try await context.isPresent(context.path("folder/file-\(number)")) {
        left += 1
      }
      try context.expect(left == 0, "\(left) of \(count + 1) entries are still there")
    },
  ]
}
