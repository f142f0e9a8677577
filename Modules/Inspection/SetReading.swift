import ChangeTracking
import SyncProtocol

/// Looks at each set of a remote once, while it is verified.
public protocol SetVisitor: Sendable {
  /// Called for each set, in any order and from several tasks at once.
  func visit(_ set: InspectedSet)
}

/// Reads many sets, a few at once: reading one waits for storage, and opening and decoding it takes a core.
struct SetReading {
  let reader: DocumentReader
  /// Sets that are in memory at once.
  private static let width = 4
  /// Sets that one task reads, one after the other: a task for each would take as long as a small set.
  private static let runLength = 32

  /// Reads sets until the task is cancelled.
  ///
  /// - Parameters:
  ///   - files: the sets.
  ///   - look: makes something small of each, so that memory holds few sets; called from several tasks.
  ///   - consume: gets what `look` returned in the order of `files`.
  func run<Seen: Sendable>(
    _ files: [DocumentReader.SetFile],
    _ look: @escaping @Sendable (DocumentReader.SetFile, Result<ChangeSet, ReadingFailure>) -> Seen,
    consume: (DocumentReader.SetFile, Seen) -> Void
  ) async {
    let starts = Array(stride(from: 0, to: files.count, by: Self.runLength))
    // What is done before its turn waits here.
    var waiting: [Int: [Seen]] = [:]
    var turn = 0
    await withTaskGroup(of: (Int, [Seen]).self) { group in
      var next = starts.makeIterator()
      func begin() {
        guard !Task.isCancelled, let start = next.next() else { return }
        let run = files[start..<min(files.count, start + Self.runLength)]
        group.addTask {
          var seen: [Seen] = []
          let small = await reader.smallFiles(run)
          for (file, bytes) in zip(run, small) where !Task.isCancelled {
            seen.append(look(file, await reader.result(file, bytes)))
          }
          return (start, seen)
        }
      }
      for _ in 0..<Self.width { begin() }
      for await (start, seen) in group {
        waiting[start] = seen
        while let seen = waiting.removeValue(forKey: turn) {
          for (file, one) in zip(files[turn...], seen) { consume(file, one) }
          turn += Self.runLength
        }
        begin()
      }
    }
  }
}

extension DocumentReader {
  /// Bytes of a file that is in memory together with others.
  private static let smallSize = 16 << 10

  /// The bytes of each of some sets that is small, as far as storage has a short cut to it.
  func smallFiles(_ files: ArraySlice<SetFile>) async -> [[UInt8]?] {
    guard let author = files.first?.author, let folder = files.first?.path.parent else { return [] }
    let limit = min(application.sizeLimit, Self.smallSize)
    // A set may lie in the folders of two authors, and be damaged in one.
    let names = files.map { file in
      file.author == author && file.size.map { $0 <= limit } ?? false ? file.path.name : nil
    }
    let found = await application.backend.downloadAtOnce(names.compactMap { $0 }, in: folder, limit: limit)
    return names.map { name in name.flatMap { found[$0] } }
  }

  /// Reads, verifies, opens and decodes a set.
  ///
  /// - Parameter bytes: those of the file, if they are at hand.
  func result(_ file: SetFile, _ bytes: [UInt8]? = nil) async -> Result<ChangeSet, ReadingFailure> {
    do throws(ReadingFailure) {
      return .success(try await read(file, bytes))
    } catch {
      return .failure(error)
    }
  }

  /// A set as others are told of it. What another set is says nothing about who wrote this one, and when.
  ///
  /// - Parameter owner: the document that it belongs to, if that is another one.
  func inspected(
    _ file: SetFile, _ result: Result<ChangeSet, ReadingFailure>, of owner: RemoteName? = nil
  ) -> InspectedSet {
    var result = result
    if case .success(let set) = result, let words = set.otherIdentity(than: file) {
      result = .failure(.format(words))
    }
    return InspectedSet(
      document: (owner ?? hierarchy.document).description, author: file.author, name: file.name,
      path: file.path, size: file.size, result: result)
  }
}

extension ChangeSet {
  /// Which set it is, if that is another one than its file's place and name say.
  func otherIdentity(than file: DocumentReader.SetFile) -> String? {
    guard author != file.author || sequence != file.name.sequence else { return nil }
    return "it holds set \(sequence) of author \(author), and a repair gives it that place"
  }
}
