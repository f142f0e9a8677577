import SyncProtocol

/// Finds the documents that other devices have put into a container, and tells of each once.
///
/// ```swift
/// let discovery = DocumentDiscovery(.documents(of: hierarchy), in: backend, known: identifiersFromLastTime)
/// for await news in discovery.news() { … }
/// ```
public actor DocumentDiscovery {
  /// The documents of a container.
  public struct Documents: Hashable, Sendable {
    /// Those that are complete, by name.
    public var complete: [RemoteName] = []
    /// Those that could not be looked at. They hide no others.
    public var failures: [RemoteName: BackendError] = [:]
  }

  /// What a look has brought.
  public enum News: Hashable, Sendable {
    /// A document that was not known.
    case found(RemoteName)
    /// A look that failed; the next one comes nevertheless.
    case failed(BackendError)
  }

  private let layout: DocumentLayout
  private let backend: any SyncBackend
  /// The documents that this device has, to be remembered by the application and handed over at the next launch.
  public private(set) var known: Set<RemoteName>
  private var told: Set<RemoteName> = []

  /// Prepares to look; makes no request.
  ///
  /// - Parameters:
  ///   - layout: where the documents lie.
  ///   - backend: the container.
  ///   - known: the documents that this device has; they are not told of.
  public init(_ layout: DocumentLayout, in backend: any SyncBackend, known: Set<RemoteName> = []) {
    self.layout = layout
    self.backend = backend
    self.known = known
  }

  /// All documents, known or not. A container without any is no failure; one that cannot be read is.
  public func documents() async throws(BackendError) -> Documents {
    var documents = Documents()
    for entry in try await layout.entries(of: layout.folder, in: backend) where entry.kind == .folder {
      do throws(BackendError) {
        if try await layout.isComplete(entry.name, in: backend) { documents.complete.append(entry.name) }
      } catch {
        if error.code == .cancelled { throw error }
        documents.failures[entry.name] = error
      }
    }
    documents.complete.sort()
    return documents
  }

  /// Looks once, and returns the documents that are neither known nor were told of before.
  public func look() async throws(BackendError) -> [RemoteName] {
    let new = try await documents().complete.filter { !known.contains($0) && !told.contains($0) }
    told.formUnion(new)
    return new
  }

  /// Notes that this device has a document now.
  public func remember(_ document: RemoteName) { known.insert(document) }

  /// Notes that a document could not be fetched, or is not wanted any more: the next look tells of it again.
  public func forget(_ document: RemoteName) {
    known.remove(document)
    told.remove(document)
  }

  /// Looks at once, and again after each pause, until nobody reads the stream any more.
  ///
  /// - Parameter pause: what is waited for between two looks; 30 seconds unless told otherwise. Ends the stream by throwing.
  public nonisolated func news(
    after pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(30)) }
  ) -> AsyncStream<News> {
    let (stream, told) = AsyncStream.makeStream(of: News.self)
    let task = Task {
      repeat {
        do throws(BackendError) {
          for document in try await look() { told.yield(.found(document)) }
        } catch {
          told.yield(.failed(error))
        }
      } while (try? await pause()) != nil && !Task.isCancelled
      told.finish()
    }
    told.onTermination = { _ in task.cancel() }
    return stream
  }
}
