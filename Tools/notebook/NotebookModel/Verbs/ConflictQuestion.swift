import ChangeTracking
import CommandLineTool
import ObjectStore

/// Asks a person which of two values is to remain.
struct ConflictQuestion {
  let console: Console

  func answers(to conflicts: [Conflict]) throws -> [Conflict.ID: ConflictAnswer] {
    var answers: [Conflict.ID: ConflictAnswer] = [:]
    for conflict in conflicts {
      // Nobody has an opinion on when a note was changed.
      answers[conflict.id] = conflict.id.key == "modified" ? .latest : try ask(conflict)
    }
    return answers
  }

  private func ask(_ conflict: Conflict) throws -> ConflictAnswer {
    let later = conflict.remoteIsLater ? "the other device's is later" : "this device's is later"
    let question = """
      Two devices changed the \(conflict.id.key) of note \(PrintableText.line(conflict.id.object.string)); \(later).
        local:  \(PrintableText.line(Self.text(conflict.localContent)))
        remote: \(PrintableText.line(Self.text(conflict.remoteContent)))
      Which one remains, local, remote or latest?\u{20}
      """
    while let answer = console.ask(question) {
      switch answer.lowercased() {
      case "local", "l": return .local
      case "remote", "r": return .remote
      case "latest", "": return .latest
      default: continue
      }
    }
    throw ToolFailure(.undecided, "a conflict was left undecided, so nothing was applied")
  }

  private static func text(_ content: Register.Content) -> String {
    switch content {
    case .value(.string(let text)): text.count > 200 ? "\(text.prefix(200))…" : text
    case .value(.null): "nothing"
    case .value(let value): "\(value)"
    case .longValue(let value): "\(value.length) bytes that have not arrived"
    case .target(let target): target?.string ?? "nothing"
    }
  }
}
