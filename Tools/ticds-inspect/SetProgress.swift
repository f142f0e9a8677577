import CommandLineTool
import Inspection
import Synchronization

/// Tells a person who waits how many sets have been read.
final class SetProgress: SetVisitor {
  private let console: Console
  private let count = Atomic(0)

  init(console: Console) { self.console = console }

  func visit(_ set: InspectedSet) {
    let count = count.add(1, ordering: .relaxed).newValue
    console.progress("\(count) sets read")
  }
}
