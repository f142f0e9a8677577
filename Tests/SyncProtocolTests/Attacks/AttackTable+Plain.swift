extension AttackTable {
  /// Without encryption, for files that carry a code or a seal otherwise.
  static let plain: [AttackedFile: [AttackCell?]] = [
    .applicationFounding: [
      .harmless(.verify),
      .harmless(.verify),
      .healed(.sync, .verify),
      .healed(.verify),
    ],
    .documentFounding: [
      .harmless(.verify),
      .harmless(.join, .verify),
      .healed(.sync, .verify),
      .healed(.verify),
    ],
    .acceptance: [
      .harmless(.join, .verify),
      nil,
      .healed(.sync, .verify),
      .healed(.verify),
    ],
    .set: [
      .harmless(.verify),
      .harmless(.verify),
      .healed(.sync, .join, .verify),
      .healed(.verify),
    ],
    .longValue: [
      .healed(.sync, .join, .verify),
      .harmless(.verify),
      .healed(.sync, .join, .verify),
      .healed(.sync, .join, .verify),
    ],
    .head: [
      .harmless(.sync, .join, .verify),
      .harmless(.sync, .join, .verify),
      .harmless(.verify),
      .harmless(.verify),
    ],
    .request: [
      .harmless(.sync, .verify),
      nil,
      .harmless(.verify),
      .harmless(.verify),
    ],
    .valueRequest: [
      .harmless(.sync, .verify),
      nil,
      .harmless(.verify),
      .harmless(.verify),
    ],
    .supersession: [
      .harmless(.sync),
      .harmless(.sync, .join, .verify),
      .harmless(.verify),
      .harmless(),
    ],
    .mention: [
      .harmless(.sync, .join),
      nil,
      .harmless(.verify),
      .harmless(),
    ],
    .floor: [
      .harmless(),
      nil,
      .harmless(.verify),
      .harmless(),
    ],
    .wholeStore: [
      .harmless(.join, .verify),
      .harmless(.join, .verify),
      .harmless(.join, .verify),
      .harmless(.join, .verify),
    ],
    .deletion: [
      .newcomersWait(.sync, .join, .verify),
      .harmless(),
      .harmless(),
      .newcomersWait(),
    ],
    .removal: [
      .waits(.sync),
      nil,
      .harmless(.verify),
      .waits(),
    ],
    .deviceName: [
      .harmless(),
      nil,
      .harmless(.verify),
      .harmless(),
    ],
  ]
}
