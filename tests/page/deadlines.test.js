/* Deadlines are chosen in the person's zone and stored as milliseconds since 1970. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {localMinute, msOfMinute} from '../../app/ui/static/core/texts.js';

/** Each zone with its minute of 5 March 2026, 12:00 UTC, and of 5 July 2026, 12:00 UTC. */
const MINUTES = {
  UTC: ['2026-03-05T12:00', '2026-07-05T12:00'],
  'Europe/Berlin': ['2026-03-05T13:00', '2026-07-05T14:00'],
  'America/St_Johns': ['2026-03-05T08:30', '2026-07-05T09:30'],
  'Pacific/Auckland': ['2026-03-06T01:00', '2026-07-06T00:00'],
};

for (const [zone, minutes] of Object.entries(MINUTES)) {
  test(`a deadline is shown and stored in the zone ${zone}`, () => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
      [Date.UTC(2026, 2, 5, 12), Date.UTC(2026, 6, 5, 12)].forEach((ms, i) => {
        assert.equal(localMinute(ms), minutes[i]);
        assert.equal(msOfMinute(minutes[i]), ms);
      });
    } finally {
      process.env.TZ = before;
    }
  });
}

test('no deadline is an empty field', () => {
  assert.equal(localMinute(null), '');
  assert.equal(msOfMinute(''), null);
});
