/// Which classes a caller accepts from an archive.
///
/// Nothing is ever instantiated, so this protects what comes after: a caller that expects plain values gets either
/// plain values or an error.
public struct ClassPolicy: Hashable, Sendable {
  let names: Set<String>?

  /// Every class; unknown ones become records.
  public static let any = ClassPolicy(names: nil)

  /// The classes that Core Data accepts in a binary store, and their subclasses.
  public static let plain = ClassPolicy(names: plainNames)

  /// The plain classes and some more.
  public static func plain(and names: Set<String>) -> ClassPolicy {
    ClassPolicy(names: plainNames.union(names))
  }

  /// Whether an object may have this chain of classes.
  func allows(_ chain: [String]) -> Bool {
    guard let names else { return true }
    return chain.contains(where: names.contains)
  }

  /// Whether an object that has no plain meaning may have this chain of classes. Being a subclass of a plain class
  /// is not enough, because the object is not plain.
  func allowsRecord(_ chain: [String]) -> Bool {
    guard let names else { return true }
    return chain.contains { names.contains($0) && !Self.plainNames.contains($0) }
  }

  private static let plainNames: Set<String> = [
    "NSNull", "NSNumber", "NSDecimalNumber", "NSString", "NSData", "NSDate", "NSUUID", "NSURL", "NSArray",
    "NSDictionary", "NSSet", "NSOrderedSet",
  ]

  /// The plain classes and those that Foundation itself derives from them: their fields are known.
  static let foundationNames = plainNames.union([
    "NSMutableString", "NSMutableData", "NSMutableArray", "NSMutableDictionary", "NSMutableSet",
    "NSMutableOrderedSet", "NSDecimalNumberPlaceholder",
  ])
}
