import SyncProtocol

extension BackendConformance {
  static let removalLaws = [
    Law("a removed file is gone, and only that") { context in
      try await context.backend.upload([1], to: context.path("one"))
      try await context.backend.upload([2], to: context.path("two"))
      try await context.backend.remove(context.path("one"))
      let names = try await context.names(in: "")
      try context.expect(names == ["two"], "found \(names)")
      try await context.expectFailure(.notFound, of: "removing a file twice") {
        try await context.backend.remove(context.path("one"))
      }
    },
    Law("a folder is removed with everything in it") { context in
      try await context.backend.makeDirectory(context.path("a/b/c"))
      try await context.backend.upload([1], to: context.path("a/b/c/file"))
      try await context.backend.upload([1], to: context.path("a/file"))
      try await context.backend.upload([1], to: context.path("b"))
      try await context.backend.remove(context.path("a"))
      let names = try await context.names(in: "")
      try context.expect(names == ["b"], "found \(names)")
    },
    Law("a removed name can be used again") { context in
      let path = try context.path("file")
      try await context.backend.createIfAbsent([1], at: path)
      try await context.backend.remove(path)
      try await context.backend.createIfAbsent([2], at: path)
      try await context.expectContent([2], at: "file")
    },
    Law("files and folders move with their content") { context in
      try await context.backend.makeDirectory(context.path("a/inner"))
      try await context.backend.makeDirectory(context.path("b"))
      try await context.backend.upload([1], to: context.path("a/inner/file"))
      try await context.backend.move(context.path("a/inner/file"), to: context.path("b/moved"))
      try await context.expectContent([1], at: "b/moved")
      try await context.backend.move(context.path("b"), to: context.path("a/inner/b"))
      try await context.expectContent([1], at: "a/inner/b/moved")
      let names = try await context.names(in: "")
      try context.expect(names == ["a"], "found \(names)")
    },
    Law("a move never replaces and needs a source and a folder to go to") { context in
      try await context.backend.upload([1], to: context.path("one"))
      try await context.backend.upload([2], to: context.path("two"))
      try await context.expectFailure(.alreadyExists, of: "moving onto a file") {
        try await context.backend.move(context.path("one"), to: context.path("two"))
      }
      try await context.expectFailure(.notFound, of: "moving what does not exist") {
        try await context.backend.move(context.path("absent"), to: context.path("three"))
      }
      try await context.expectFailure(.notFound, of: "moving into an absent folder") {
        try await context.backend.move(context.path("one"), to: context.path("absent/one"))
      }
      try await context.expectContent([1], at: "one")
      try await context.expectContent([2], at: "two")
    },
  ]
}
