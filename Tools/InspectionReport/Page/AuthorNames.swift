import ChangeTracking
import Inspection

/// What authors are called: the description of the device, as their newest head has it.
struct AuthorNames {
  private let descriptions: [AuthorID: String]

  init(_ overview: RemoteOverview) {
    let authors = overview.applications.flatMap(\.documents).flatMap(\.authors)
    descriptions = Dictionary(
      authors.compactMap { author in author.content.map { (author.author, $0.clientDescription) } }
    ) { first, _ in first }
  }

  subscript(author: AuthorID) -> String { descriptions[author] ?? author.description }
}
