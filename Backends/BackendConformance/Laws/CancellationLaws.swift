import Locking
import SyncProtocol

extension BackendConformance {
  static let cancellationLaws = [
    Law("a cancelled task writes nothing and says so", alsoOfPages: true) { context in
      let (kept, absent) = (try context.path("kept"), try context.path("absent"))
      try await context.backend.upload([1], to: kept)
      let requests: [(String, @Sendable (any SyncBackend) async throws -> Void)] = [
        ("uploading", { try await $0.upload([2], to: kept) }),
        ("creating", { try await $0.createIfAbsent([2], at: absent) }),
        ("listing", { _ = try await $0.list(.root) }),
        ("examining", { _ = try await $0.stat(kept) }),
        ("downloading", { _ = try await $0.download(kept, limit: 10) }),
        ("making a folder", { try await $0.makeDirectory(absent) }),
        ("removing", { try await $0.remove(kept) }),
        ("moving", { try await $0.move(kept, to: absent) }),
      ]
      for (what, request) in requests {
        let cancelled = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          do {
            try await request(context.backend)
          } catch let error as BackendError
            where error.code == .cancelled || error.code == .unsupported && what == "moving"
          { return }
          throw ConformanceFailure(description: "\(what) in a cancelled task did not throw cancelled")
        }
        try await cancelled.value
      }
      let names = try await context.names(in: "")
      try context.expect(names == ["kept"], "requests of cancelled tasks left \(names)")
      try await context.expectContent([1], at: "kept")
    },
    Law("an upload that is cancelled in the middle takes effect whole, or not at all") { context in
      let scratch = try ScratchFolder()
      let file = LargeFile(path: scratch.file("source"), size: context.sizes.heldFile, seed: 1)
      try file.write()
      let uploads: [(String, @Sendable (RemotePath, @escaping TransferProgress) async throws -> Void)] = [
        ("upload", { try await context.backend.upload(file: file.path, to: $0, progress: $1) }),
        ("creation", { try await context.backend.createIfAbsent(file: file.path, at: $0, progress: $1) }),
      ]
      for (what, upload) in uploads {
        let path = try context.path(what)
        let result = try await context.holding { progress in
          try await upload(path, progress)
        } middle: { task in
          task.cancel()
        }
        if case .failure(let error) = result {
          try context.expect(
            (error as? BackendError)?.code == .cancelled, "a cancelled \(what) threw \(error)")
        }
        guard try await context.isPresent(path) else {
          let listing = try await context.backend.list(.root)
          try context.expect(listing == RemoteListing(), "a cancelled \(what) left \(listing)")
          if case .success = result {
            throw ConformanceFailure(description: "a cancelled \(what) said that it was done, and was not")
          }
          continue
        }
        try await context.backend.download(path, toFile: scratch.file("target"))
        try context.expect(
          try scratch.matches("target", file), "a cancelled \(what) left a part of the file")
        try await context.backend.remove(path)
      }
    },
    Law("a transfer that is cancelled before its half does not go on to its end") { context in
      let scratch = try ScratchFolder()
      let file = LargeFile(path: scratch.file("source"), size: context.sizes.heldFile, seed: 1)
      try file.write()
      let path = try context.path("file")
      try await context.backend.upload(file: file.path, to: path)
      let transfers: [(String, @Sendable (@escaping TransferProgress) async throws -> Void)] = [
        (
          "a download",
          { try await context.backend.download(path, toFile: scratch.file("target"), progress: $0) }
        ),
        ("an upload", { try await context.backend.upload(file: file.path, to: path, progress: $0) }),
        (
          "a creation",
          {
            try await context.backend.createIfAbsent(
              file: file.path, at: context.path("created"), progress: $0)
          }
        ),
      ]
      for (what, transfer) in transfers {
        let reports = Locked<[Int64]>([])
        let heldAt = Locked<Int64?>(nil)
        let result = try await context.holding { progress in
          try await transfer { bytes in
            reports.withLock { $0.append(bytes) }
            progress(bytes)
          }
        } middle: { task in
          heldAt.withLock { $0 = reports.withLock { $0.last } }
          task.cancel()
        }
        // Whoever reports so seldom that more than half has gone may have given away the rest by then.
        guard let held = heldAt.withLock({ $0 }), held <= file.size / 2 else { continue }
        guard case .failure(let error) = result else {
          throw ConformanceFailure(
            description: "\(what) of \(file.size) bytes that was cancelled after \(held) went on to its end")
        }
        try context.expect(
          (error as? BackendError)?.code == .cancelled, "\(what) that was cancelled threw \(error)")
        let last = reports.withLock { $0.last } ?? 0
        try context.expect(
          last < file.size,
          "\(what) of \(file.size) bytes that was cancelled after \(held) was told so after \(last)")
      }
    },
    Law("a transfer that is cancelled leaves another of the same client alone") { context in
      let scratch = try ScratchFolder()
      let files = context.heldFiles(in: scratch)
      for file in files { try file.write() }
      let (cancelled, other) = (try context.path("cancelled"), try context.path("other"))
      let result = try await context.cancelling { progress in
        try await context.backend.upload(file: files[0].path, to: cancelled, progress: progress)
      } beside: { progress in
        try await context.backend.upload(file: files[1].path, to: other, progress: progress)
      }
      if case .failure(let error) = result {
        throw ConformanceFailure(description: "an upload failed as another was cancelled: \(error)")
      }
      try await context.backend.download(other, toFile: scratch.file("target"))
      try context.expect(
        try scratch.matches("target", files[1]),
        "an upload is not whole that went on as another was cancelled")
    },
    Law("a replacement that is cancelled in the middle leaves the old or the new content") { context in
      let scratch = try ScratchFolder()
      let file = LargeFile(path: scratch.file("source"), size: context.sizes.heldFile, seed: 1)
      try file.write()
      let path = try context.path("file")
      try await context.backend.upload([1, 2, 3], to: path)
      _ = try await context.holding { progress in
        try await context.backend.upload(file: file.path, to: path, progress: progress)
      } middle: { task in
        task.cancel()
      }
      try await context.backend.download(path, toFile: scratch.file("target"))
      let isWhole = try scratch.matches("target", file)
      try context.expect(
        try isWhole || scratch.read(scratch.file("target")) == [1, 2, 3], "neither content is whole")
    },
    Law("a download that is cancelled in the middle leaves the local file as it was, or is whole") {
      context in
      let scratch = try ScratchFolder()
      let file = LargeFile(path: scratch.file("source"), size: context.sizes.heldFile, seed: 1)
      try file.write()
      let path = try context.path("file")
      try await context.backend.upload(file: file.path, to: path)
      let target = scratch.file("target")
      try scratch.write([1, 2, 3], to: target)
      let result = try await context.holding { progress in
        try await context.backend.download(path, toFile: target, progress: progress)
      } middle: { task in
        task.cancel()
      }
      switch result {
      case .success:
        try context.expect(try file.matches(target), "a download that succeeded is not whole")
      case .failure:
        try context.expect(
          try scratch.read(target) == [1, 2, 3], "a cancelled download changed the local file")
      }
      try context.expect(scratch.names() == ["source", "target"], "a download left \(scratch.names())")
    },
  ]
}
