import SyncProtocol

extension BackendConformance {
  static let folderLaws = [
    Law("a folder is made together with those above it") { context in
      try await context.backend.makeDirectory(context.path("a/b/c"))
      try await context.backend.upload([1], to: context.path("a/b/c/file"))
      let names = [
        try await context.names(in: ""), try await context.names(in: "a"), try await context.names(in: "a/b"),
        try await context.names(in: "a/b/c"),
      ]
      try context.expect(names == [["a"], ["b"], ["c"], ["file"]], "found \(names)")
    },
    Law("making a folder that exists changes nothing") { context in
      try await context.makeFolder("a/b")
      try await context.backend.upload([1], to: context.path("a/b/file"))
      try await context.backend.makeDirectory(context.path("a/b"))
      try await context.backend.makeDirectory(.root)
      try await context.expectContent([1], at: "a/b/file")
    },
    Law("a folder is not made where a file lies") { context in
      try await context.backend.upload([1], to: context.path("file"))
      try await context.expectFailure(.notADirectory, of: "making a folder over a file") {
        try await context.backend.makeDirectory(context.path("file"))
      }
      try await context.expectFailure(.notADirectory, of: "making a folder below a file") {
        try await context.backend.makeDirectory(context.path("file/folder"))
      }
      try await context.expectContent([1], at: "file")
    },
    Law("a file is not written where a folder lies") { context in
      try await context.write([1], to: "folder/file")
      try await context.expectFailure(.isADirectory, .alreadyExists, of: "uploading over a folder") {
        try await context.backend.upload([1], to: context.path("folder"))
      }
      try await context.expectFailure(.alreadyExists, of: "creating a file over a folder") {
        try await context.backend.createIfAbsent([1], at: context.path("folder"))
      }
      let names = try await context.names(in: "")
      try context.expect(names == ["folder"], "found \(names)")
    },
    Law("nothing lies below a file") { context in
      try await context.backend.upload([1], to: context.path("file"))
      let below = try context.path("file/below")
      try await context.expectFailure(.notFound, .notADirectory, of: "examining below a file") {
        try await context.backend.stat(below)
      }
      try await context.expectFailure(.notFound, .notADirectory, of: "listing below a file") {
        try await context.backend.list(below)
      }
      try await context.expectFailure(.notFound, .notADirectory, of: "writing below a file") {
        try await context.backend.upload([2], to: below)
      }
      try await context.expectContent([1], at: "file")
    },
  ]
}
