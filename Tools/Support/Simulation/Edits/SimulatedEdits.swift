extension SimulatedClient {
  /// One unit of work of a user.
  func edit(using random: inout SeededRandomSource) throws {
    if features.has(.lateUndo), random.oneIn(8) { return try takeBackLater(using: &random) }
    if setting.isFixed { try editFixed(using: &random) } else { try editDrawn(using: &random) }
  }

  /// What other programs and contexts without a recorder do to the store.
  func editElsewhere(using random: inout SeededRandomSource) throws {
    if setting.isFixed {
      try editFixedElsewhere(using: &random)
    } else {
      try editDrawnElsewhere(using: &random)
    }
  }
}
