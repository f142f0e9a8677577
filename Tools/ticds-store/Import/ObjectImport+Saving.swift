import CommandLineTool
import ObjectStore
import TICDSSQLite

extension ObjectImport {
  /// Writes everything in one transaction.
  ///
  /// - Parameter isRehearsal: Whether the transaction is undone at its end.
  func save(isRehearsal: Bool) throws {
    let rehearsal = Rehearsal()
    if isRehearsal { context.addParticipant(rehearsal) }
    do {
      try context.save()
    } catch is Rehearsal.End {
      return
    } catch let error as SaveError {
      if error.problems.contains(where: \.isConflict) {
        throw ToolFailure(
          .busy, "another program has changed objects of the store meanwhile, and nothing was imported",
          advice: "import again")
      }
      add(error)
      try problems.stopIfAny()
      throw error
    }
  }

  /// Undoes a save when all of it has been done.
  private final class Rehearsal: SaveParticipant {
    struct End: Error {}

    func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws { throw End() }
  }

  private func add(_ error: SaveError) {
    var numbers: [ObjectID: Int] = [:]
    for line in lines { numbers[line.object.objectID] = line.number }
    for problem in error.problems {
      let (object, sentence) = Self.parts(problem, numbers)
      problems.add(line: object.flatMap { numbers[$0] } ?? 0, sentence)
    }
  }

  private static func parts(
    _ problem: SaveError.Problem, _ numbers: [ObjectID: Int]
  ) -> (ObjectID?, String) {
    switch problem {
    case .missingValue(let object, let property):
      (object, "\(name(of: property, object)) has no value, and must have one")
    case .invalidValue(let object, let property, let reason):
      (object, "\(name(of: property, object)) \(reason)")
    case .invalidCount(let object, let property, let count):
      (object, "\(object.entity.name).\(property) names \(count) objects, which the model does not allow")
    case .duplicate(let object, let other, let properties):
      (
        object,
        "\(properties.joined(separator: ", ")) of \(object.entity.name) must be unique, but "
          + (numbers[other].map { "line \($0)" } ?? "\(other) in the store") + " has the same"
      )
    case .refused(let object, let reason): (object, "\(object.entity.name): \(reason)")
    case .deletionDenied(let object, _), .conflict(let object, _), .danglingReference(let object, _, _):
      (object, "\(problem)")
    case .notUnique(let message): (nil, message)
    case .misuse(let error): (nil, error.description)
    }
  }

  /// A line has no derived attribute that could be mended, only what it is derived from.
  private static func name(of property: String, _ object: ObjectID) -> String {
    let name = "\(object.entity.name).\(property)"
    guard let derivation = object.entity.property(named: property)?.asAttribute?.derivation else {
      return name
    }
    return "\(name) cannot hold what it is derived from: “\(derivation)”"
  }
}

extension SaveError.Problem {
  fileprivate var isConflict: Bool {
    if case .conflict = self { true } else { false }
  }
}
