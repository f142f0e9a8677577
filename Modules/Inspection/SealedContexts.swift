import ChangeTracking
import Crypto
import SyncProtocol

extension DocumentHierarchy {
  func sealedContext(of set: SetName, by author: AuthorID) -> SealedContext {
    SealedContext(role: "set", identity: "\(application.application)/\(document)/\(author)/\(set.sequence)")
  }

  func sealedContext(of head: HeadName) -> SealedContext {
    SealedContext(
      role: "head", identity: "\(application.application)/\(document)/\(head.author)/\(head.sequence)")
  }
}
