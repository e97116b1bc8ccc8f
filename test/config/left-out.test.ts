import { describe, expect, it } from 'vitest';
import { leftOut } from '../../src/config/settings.js';

const COLD = ['wing_old', 'wing_palace/archive'];

describe('cold places that a search leaves out', () => {
  it.each([
    [{}, ['wing_old', 'wing_palace/archive']],
    [{ wing: 'wing_old' }, ['wing_palace/archive']],
    [{ room: 'archive' }, ['wing_old']],
    [{ wing: 'wing_palace', room: 'archive' }, ['wing_old']],
    [{ wing: 'wing_palace' }, ['wing_old', 'wing_palace/archive']],
    [{ wing: 'wing_shop', room: 'archive' }, ['wing_old', 'wing_palace/archive']],
  ])('with %j are %j', (named, left) => {
    const places = leftOut(COLD, named).map(({ wing, room }) =>
      room === undefined ? wing : `${wing}/${room}`,
    );
    expect(places).toEqual(left);
  });
});
