import Crypto

extension SealedContext.Role {
  package static let deviceInformation: Self = "device-information"
  package static let documentInformation: Self = "document-information"
  package static let changeSet: Self = "change-set"
  package static let head: Self = "head"
  package static let supersession: Self = "supersession"
  package static let longValue: Self = "long-value"
  package static let wrappedKey: Self = "wrapped-key"
  package static let wholeStore: Self = "whole-store"
}
