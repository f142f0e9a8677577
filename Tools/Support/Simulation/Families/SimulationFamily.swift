/// One kind of thing that runs of a simulation may contain: a switch for each, so that what is known to fail can be left out until it
/// is mended.
public protocol SimulationFamily: Hashable, CaseIterable, RawRepresentable<String>, Sendable {
  /// What runs contain if the family is in.
  var summary: String { get }

  /// What is left out of the default run until it is mended, and why.
  static var knownDefects: [Self: String] { get }
}

extension SimulationFamily {
  /// What is wrong with the family at present; `nil` if it is part of the default run.
  public var knownDefect: String? { Self.knownDefects[self] }

  /// The families of the default run: those without a known defect.
  public static var passing: Set<Self> { Set(allCases.filter { $0.knownDefect == nil }) }
}
