import { makeDogs } from "./shown/dogs.js";

export default { "Shop.CounterViewModel": makeDogs };
