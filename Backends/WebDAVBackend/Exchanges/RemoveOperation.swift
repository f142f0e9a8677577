import SyncProtocol

/// Removes a file, or a folder with everything in it.
struct RemoveOperation: DAVOperation {
  private enum State {
    case deleting
    case looking(Failure)
    case deletingFolder
    case diagnosing(Diagnosis)
  }

  private let path: RemotePath
  private var state = State.deleting

  init(_ path: RemotePath) { self.path = path }

  mutating func start() -> DAVStep {
    guard path != .root else { return .fail(BackendError(.isADirectory, path: path)) }
    return .send(.delete(Target(path)))
  }

  mutating func next(_ reply: DAVReply) -> DAVStep {
    switch state {
    case .deleting:
      guard let failure = reply.failure else { return .finish }
      if failure.code == .notFound, case .status(404, _) = reply { return absent() }
      guard reply.isAmbiguous else { return .fail(failure.error(at: path)) }
      state = .looking(failure)
      return .send(.look(path))
    case .looking(let failure):
      switch reply {
      case .found(.folder):
        state = .deletingFolder
        return .send(.delete(Target(path, isFolder: true)))
      case .found(.file):
        return .fail(
          Failure(failure.code == .notFound ? .failed : failure.code, failure.detail).error(at: path))
      case .found(nil): return absent()
      default: return .fail((reply.failure ?? failure).error(at: path))
      }
    case .deletingFolder:
      guard let failure = reply.failure else { return .finish }
      if case .status(404, _) = reply { return absent() }
      return .fail(failure.error(at: path))
    case .diagnosing(var diagnosis):
      return step(diagnosis.next(reply), diagnosis)
    }
  }

  private mutating func absent() -> DAVStep {
    let diagnosis = Diagnosis(path, .using, Failure(.notFound), isAbsent: true)
    return step(diagnosis.start(), diagnosis)
  }

  private mutating func step(_ step: Diagnosis.Step, _ diagnosis: Diagnosis) -> DAVStep {
    switch step {
    case .look(let subject):
      state = .diagnosing(diagnosis)
      return .send(.look(subject))
    case .verdict(let error), .appeared(let error): return .fail(error)
    }
  }
}
